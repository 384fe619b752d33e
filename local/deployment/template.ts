/** A synthesized CloudFormation template, as far as it is read here. */
export interface Template {
  readonly Description?: string;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Description?: string }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Logical ids and resources of one type. */
export function resourcesOf(template: Template, type: string): [string, TemplateResource][] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** The only resource of its type. @throws RangeError when there is none, or several */
export function onlyResource(template: Template, type: string): [string, TemplateResource] {
  const found = resourcesOf(template, type);
  if (found.length === 1) return found[0]!;
  throw new RangeError(`The template has ${found.length} resources of type ${type}, not one.`);
}
