/** Intrinsic functions of a template, read without deploying it. */

/** Logical id that a `Ref` or `Fn::GetAtt` refers to. A plain string is returned unchanged. */
export function targetOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: readonly string[] };
  const target = ref ?? attribute?.[0];
  if (target === undefined) throw new Error(`Neither a text nor a reference: ${JSON.stringify(value)}`);
  return target;
}

/** A string in which each reference is replaced with the result of `resolve`. */
export function joined(value: unknown, resolve: (reference: unknown) => string = targetOf): string {
  if (typeof value === 'string') return value;
  const join = (value as { 'Fn::Join'?: readonly [string, readonly unknown[]] })['Fn::Join'];
  if (!join) return resolve(value);
  return join[1].map(part => joined(part, resolve)).join(join[0]);
}
