import { resolveText, type TemplateOutput } from '../../local/deployment/template.ts';

export const EXAMPLE = {
  name: 'acme',
  baseUrl: 'https://api.acme.example',
  authUrl: 'https://auth.acme.example/realms/acme',
};

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface SynthesizedTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, TemplateOutput>>;
}

export function resources(template: SynthesizedTemplate, type: string): Resource[] {
  return Object.values(template.Resources).filter(resource => resource.Type === type);
}

export function propertiesOf(template: SynthesizedTemplate, type: string): Resource['Properties'][] {
  return resources(template, type).map(({ Properties = {} }) => Properties);
}

/** The properties of the only resource of its type. */
export function only(template: SynthesizedTemplate, type: string): Resource['Properties'] {
  const found = propertiesOf(template, type);
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type}`);
  return found[0]!;
}

/**
 * Values that CloudFormation knows before it creates the stack. A reference to a resource is none
 * of them.
 */
const KNOWN: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::StackId': 'arn:aws:cloudformation:eu-west-1:111122223333:stack/S/51af3dc0-da77-11e4-872e-1234567db123',
};

/** The text that CloudFormation makes of a value that depends on no resource. */
export function joinedText(value: unknown): string {
  const unknown = (id: string) => `unknown ${id}`;
  return resolveText(value, { ref: id => KNOWN[id] ?? unknown(id), attribute: unknown });
}
