/** A statement of an IAM policy, as far as it is looked at here. */
export interface Statement {
  readonly Effect: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
}

/** Whether a policy allows an action on a resource: some statement does, and none denies it. Conditions are not looked at. */
export function permits(statements: readonly Statement[], action: string, resource: string): boolean {
  const about = statements.filter(
    ({ Action = [], Resource = [] }) =>
      matches([Action].flat(), action, 'i') && matches([Resource].flat(), resource, ''),
  );
  return about.some(({ Effect }) => Effect === 'Allow') && !about.some(({ Effect }) => Effect === 'Deny');
}

/** IAM's wildcards: `*` for any text, `?` for any character. */
function matches(patterns: readonly string[], text: string, flags: string): boolean {
  return patterns.some(pattern => {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${source}$`, `s${flags}`).test(text);
  });
}
