import * as v from 'valibot';
import type { Fault } from './fault.ts';

/** Every fault of a value. Valibot stops at the first unknown member of an object, so unknown members are collected here. */
export function schemaFaults(schema: v.GenericSchema, value: unknown, root: string): Fault[] {
  const { issues = [] } = v.safeParse(schema, value, { abortPipeEarly: true });
  const others = issues.filter(issue => !isUnknownMember(issue)).map(issue => describeIssue(issue, root));
  return [...others, ...unknownMembers(schema, value, root)];
}

function describeIssue(issue: v.BaseIssue<unknown>, root: string): Fault {
  return { path: pathOf(issue, root), reason: reasonOf(issue) };
}

function pathOf(issue: v.BaseIssue<unknown>, root: string): string {
  const members = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return `${root}${members.join('')}`;
}

function isUnknownMember(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function reasonOf(issue: v.BaseIssue<unknown>): string {
  const ofObject = issue.kind === 'schema' && (issue.type === 'strict_object' || issue.type === 'object');
  if (issue.type === 'variant' && issue.received === 'undefined') return `is required: ${issue.message}`;
  if (!ofObject) return issue.message;
  return issue.expected === 'Object' ? 'must be an object' : 'is required';
}

/** The parts of a valibot schema through which its objects are found. */
interface Part {
  readonly type: string;
  readonly wrapped?: Part;
  readonly item?: Part;
  readonly key?: string;
  /** On the schema of an object: what its members are, such as `an alarm`. The fault of an unknown member then lists all known ones. */
  readonly message?: unknown;
  readonly options?: readonly Part[];
  readonly entries?: Readonly<Record<string, Part & { readonly literal?: unknown }>>;
}

function unknownMembers(schema: unknown, value: unknown, path: string): Fault[] {
  const { type, wrapped, item, entries = {}, key = '', options = [], message } = schema as Part;
  if (type === 'optional') return unknownMembers(wrapped, value, path);
  if (typeof value !== 'object' || value === null) return [];
  if (type === 'array' && Array.isArray(value)) {
    return value.flatMap((each, index) => unknownMembers(item, each, `${path}[${index}]`));
  }
  const members = Object.entries(value);
  if (type === 'variant') {
    const kind = (value as Record<string, unknown>)[key];
    const option = options.find(each => each.entries?.[key]?.literal === kind);
    return option ? unknownMembers(option, value, path) : [];
  }
  if (type !== 'strict_object') return [];
  const known = Object.keys(entries);
  return members.flatMap(([name, each]) =>
    known.includes(name)
      ? unknownMembers(entries[name], each, `${path}.${name}`)
      : [
          {
            path: `${path}.${name}`,
            reason: typeof message === 'string' ? listed(name, known, message) : unknownReason(name, known),
          },
        ],
  );
}

function listed(name: string, known: readonly string[], what: string): string {
  const reason = unknownReason(name, known, what);
  return `${reason}${reason.endsWith('?') ? '' : '.'} Known: ${known.join(', ')}`;
}

/** @param what such as `an option` */
function unknownReason(name: string, known: readonly string[], what = 'an option'): string {
  const similar = similarName(name, known);
  return similar ? `is not ${what}; did you mean ${similar}?` : `is not ${what}`;
}

/** The known name that a misspelt one is most likely meant to be. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const ranked = known
    .map(each => ({ each, distance: distanceBetween(lower, each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.min(name.length, each.length) / 3))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.each;
}

/** Edits between two words: a character added, removed or changed, or two neighbours swapped. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(change, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
