import type { TemplateOutput } from '../../local/deployment/template.ts';

export const EXAMPLE = {
  name: 'acme',
  baseUrl: 'https://api.acme.example',
  authUrl: 'https://auth.acme.example/realms/acme',
};

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
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

/** The properties of the only resource of its type. */
export function only(template: SynthesizedTemplate, type: string): Readonly<Record<string, unknown>> {
  const found = resources(template, type);
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type}`);
  return found[0]!.Properties;
}
