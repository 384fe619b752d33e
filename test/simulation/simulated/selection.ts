/** The filters of a history: as the function gets them, and as the oracle understands them, without a look at the function's own. */
import type { Settings } from '../../../lambda/settings.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import type { Truth } from '../../../local/platform/truth.ts';
import { keyOf } from '../../support/siem.ts';
import type { Filters } from '../history.ts';

/** By kind of content a member that only its rows have. */
export const KINDS_OF_CONTENT = ['__proto__', 'constructor', 'exponent'] as const;

/** An expression that is no boolean withholds nothing, whatever else it says. */
const FAULTY = "n > 'text'";

function kindsWithheld(filters: Filters, stream: StreamName, blocks: readonly number[]): readonly number[] {
  if (filters.faulty && stream === 'threats') return [];
  const withheld: Partial<Record<StreamName, readonly number[]>> = { ...filters, 'dns-blocks': blocks };
  return withheld[stream] ?? [];
}

function expression(kinds: readonly number[]): string | undefined {
  if (kinds.length === 0) return undefined;
  return kinds.map(kind => `!contains(keys(@), '${KINDS_OF_CONTENT[kind]}')`).join(' && ');
}

export function filterOptions(filters: Filters, blocks: readonly number[]): Settings['filters'] {
  const assets = expression(filters.assets);
  const threats = filters.faulty ? FAULTY : expression(filters.threats);
  const dnsBlocks = expression(blocks);
  return { ...(assets && { assets }), ...(threats && { threats }), ...(dnsBlocks && { dnsBlocks }) };
}

/** Whether the filter excludes the row. It says nothing of tombstones. */
export function isWithheld(row: string, stream: StreamName, filters: Filters, blocks: readonly number[]): boolean {
  const members = JSON.parse(row);
  if (members.deleted === true) return false;
  return kindsWithheld(filters, stream, blocks).some(kind => Object.hasOwn(members, KINDS_OF_CONTENT[kind]!));
}

/** What the SIEM should hold, and what it should not. */
export function filtered(all: Truth, filters: Filters, blocks: readonly number[]) {
  const withheld = new Set<string>();
  const kept = Object.entries(all).map(([stream, rows]) => {
    const out = [...rows].filter(([, row]) => isWithheld(row, stream as StreamName, filters, blocks));
    for (const [id] of out) withheld.add(keyOf(stream, id));
    return [stream, new Map([...rows].filter(([id]) => !withheld.has(keyOf(stream, id))))];
  });
  return { truth: Object.fromEntries(kept) as Truth, withheld };
}
