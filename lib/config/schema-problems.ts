import * as v from 'valibot';
import { printableText } from '../../lambda/issue-text.ts';
import type { Problem } from './problem.ts';

/**
 * Number of unknown members that are listed. Further members are left out, because a person reads
 * only the first few, and finding each member takes a pass over the value.
 */
const MOST_UNKNOWN = 50;

/**
 * Finds every problem of a value, one for each member. Valibot stops at the first unknown member of
 * an object, so unknown members are removed from a copy until no unknown member is left.
 */
export function schemaProblems(schema: v.GenericSchema, value: unknown, root = ''): Problem[] {
  const rest = structuredClone(value);
  const unknown: Problem[] = [];

  while (true) {
    const issues = v.safeParse(schema, rest, { abortPipeEarly: true }).issues ?? [];
    const unknownMembers = issues.filter(isUnknownMember);
    if (unknownMembers.length === 0 || unknown.length >= MOST_UNKNOWN) {
      const others = issues.filter(issue => !isUnknownMember(issue));
      return [...others.map(issue => problemOf(issue, root)), ...unknown];
    }

    for (const issue of unknownMembers) {
      const { input, key } = issue.path!.at(-1)!;
      delete (input as Record<string, unknown>)[key as string];
      unknown.push(problemOf(issue, root));
    }
  }
}

function isUnknownMember(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function problemOf(issue: v.BaseIssue<unknown>, root: string): Problem {
  const members = (issue.path ?? []).map(({ key }) =>
    typeof key === 'number' ? `[${key}]` : `.${printableText(String(key))}`,
  );
  return { path: `${root}${members.join('')}`.replace(/^\./, ''), reason: issue.message };
}
