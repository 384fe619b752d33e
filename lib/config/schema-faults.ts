import * as v from 'valibot';
import { shownText } from '../../lambda/issue-text.ts';
import type { Fault } from './fault.ts';

/** More are not listed: a person reads the first ones, and each takes a pass over the value. */
const MOST_UNKNOWN = 50;

/**
 * Every fault of a value, one for each member. Valibot stops at the first unknown member of an object, so unknown members are removed from a copy
 * until none is left.
 */
export function schemaFaults(schema: v.GenericSchema, value: unknown, root: string): Fault[] {
  const issuesOf = (given: unknown) => v.safeParse(schema, given, { abortPipeEarly: true }).issues ?? [];
  let issues = issuesOf(value);
  if (!issues.some(isUnknownMember)) return issues.map(issue => faultOf(issue, root));

  const rest = structuredClone(value);
  const unknown: Fault[] = [];
  do {
    issues = issuesOf(rest);
    for (const issue of issues.filter(isUnknownMember)) {
      const { input, key } = issue.path!.at(-1)!;
      delete (input as Record<string, unknown>)[key as string];
      unknown.push(faultOf(issue, root));
    }
  } while (issues.some(isUnknownMember) && unknown.length < MOST_UNKNOWN);

  return [...issues.filter(issue => !isUnknownMember(issue)).map(issue => faultOf(issue, root)), ...unknown];
}

function isUnknownMember(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function faultOf(issue: v.BaseIssue<unknown>, root: string): Fault {
  const members = (issue.path ?? []).map(({ key }) =>
    typeof key === 'number' ? `[${key}]` : `.${shownText(String(key))}`,
  );
  return { path: `${root}${members.join('')}`, reason: issue.message };
}
