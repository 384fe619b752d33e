import type { BaseIssue } from 'valibot';

/** One thing that is wrong, and where: `connectors[1].pageLimit`. */
export interface Fault {
  readonly path: string;
  readonly reason: string;
}

export function describeIssue(issue: BaseIssue<unknown>): Fault {
  return { path: pathOf(issue), reason: reasonOf(issue) };
}

function pathOf(issue: BaseIssue<unknown>): string {
  const members = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return `connectors${members.join('')}`;
}

function reasonOf(issue: BaseIssue<unknown>): string {
  if (issue.kind !== 'schema' || issue.type !== 'strict_object') return issue.message;
  if (issue.expected === 'never') return 'is not an option; look for a misspelling';
  return issue.expected === 'Object' ? 'must be an object' : 'is required';
}
