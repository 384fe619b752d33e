import type { BaseIssue } from 'valibot';

/** One thing that is wrong, and where: `connectors[1].pageLimit`. */
export interface Fault {
  readonly path: string;
  readonly reason: string;
}

export function describeIssue(issue: BaseIssue<unknown>, root: string): Fault {
  return { path: pathOf(issue, root), reason: reasonOf(issue) };
}

function pathOf(issue: BaseIssue<unknown>, root: string): string {
  const members = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return `${root}${members.join('')}`;
}

function reasonOf(issue: BaseIssue<unknown>): string {
  const ofObject = issue.kind === 'schema' && (issue.type === 'strict_object' || issue.type === 'object');
  if (issue.type === 'variant' && issue.received === 'undefined') return `is required: ${issue.message}`;
  if (!ofObject) return issue.message;
  if (issue.expected === 'never') return 'is not an option; look for a misspelling';
  return issue.expected === 'Object' ? 'must be an object' : 'is required';
}
