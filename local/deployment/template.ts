/** The parts of a synthesized CloudFormation template that are read here. */
export interface Template {
  readonly Description?: string;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
}

export interface TemplateOutput {
  readonly Value: unknown;
  readonly Description?: string;
  readonly Export?: { readonly Name: unknown };
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Logical ids and resources of one type. */
export function resourcesOf(template: Template, type: string): [string, TemplateResource][] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** Finds the only resource of a type. @throws RangeError if there are none or several */
export function onlyResource(template: Template, type: string): [string, TemplateResource] {
  const found = resourcesOf(template, type);
  if (found.length === 1) return found[0]!;
  throw new RangeError(`The template has ${found.length} resources of type ${type}, not one.`);
}
/** Resolves references in a template. Both methods may throw for a name that is unknown. */
export interface ReferenceResolver {
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
}

/** Replaces each reference with its logical id, to read a template without deploying it. */
export const LOGICAL_IDS: ReferenceResolver = { ref: id => id, attribute: id => id };

type Functions = Readonly<Record<string, (argument: unknown, references: ReferenceResolver) => unknown>>;

/**
 * Resolves every intrinsic function in a value, as CloudFormation does.
 *
 * @throws RangeError for an unsupported function
 */
export function resolveValue(value: unknown, references: ReferenceResolver): unknown {
  if (Array.isArray(value)) return value.map(each => resolveValue(each, references));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const [[name, argument] = []] = members;
  if (members.length === 1 && name !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
    const evaluate = FUNCTIONS[name];
    if (!evaluate) throw new RangeError(`${name} is not known here.`);
    return evaluate(argument, references);
  }
  const resolved = members.map(([member, each]) => [member, resolveValue(each, references)]);
  return Object.fromEntries(resolved.filter(([, each]) => each !== undefined));
}

/** Resolves a value that must be a string. @throws RangeError */
export function resolveText(value: unknown, references: ReferenceResolver): string {
  const resolved = resolveValue(value, references);
  if (typeof resolved === 'string') return resolved;
  throw new RangeError(`Not a text: ${JSON.stringify(value)}`);
}

const FUNCTIONS: Functions = {
  Ref: (id, references) => (id === 'AWS::NoValue' ? undefined : references.ref(String(id))),
  'Fn::GetAtt'(argument, references) {
    const [id, name] = argument as [string, string];
    return references.attribute(id, name);
  },
  'Fn::Join'(argument, references) {
    const [delimiter, parts] = argument as [string, unknown[]];
    return (resolveValue(parts, references) as unknown[]).join(delimiter);
  },
  'Fn::Split'(argument, references) {
    const [delimiter, text] = argument as [string, unknown];
    return resolveText(text, references).split(delimiter);
  },
  'Fn::Select'(argument, references) {
    const [index, list] = argument as [number | string, unknown];
    return (resolveValue(list, references) as unknown[])[Number(index)];
  },
  'Fn::Sub'(text, references) {
    return String(text).replace(/\$\{([^}]+)\}/g, (_, named: string) => {
      const [id = '', attribute] = named.split('.');
      return attribute === undefined ? references.ref(id) : references.attribute(id, attribute);
    });
  },
};
