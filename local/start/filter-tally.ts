/** What the filters of a run kept and dropped: rows, and bytes of JSON as the API sent them. */
import { subscribe } from 'node:diagnostics_channel';
import { FILTER_CHANNEL, type FilterMessage } from '../../lambda/filters.ts';
import { counted } from './progress.ts';

export interface FilterCounts {
  readonly rows: number;
  readonly bytes: number;
}

/** By path of the list, then by what the filter said. */
export type FilterTotals = Readonly<Record<string, Readonly<Record<FilterMessage['result'], FilterCounts>>>>;

const NONE: FilterCounts = { rows: 0, bytes: 0 };

/** Counts in the thread of the handler. A page that is read again counts again. */
export function tallyFilters(): FilterTotals {
  const totals: Record<string, Record<FilterMessage['result'], FilterCounts>> = {};
  subscribe(FILTER_CHANNEL, message => {
    const { path, result, text } = message as FilterMessage;
    totals[path] ??= { send: NONE, withhold: NONE, fault: NONE };
    const { rows, bytes } = totals[path][result];
    totals[path][result] = { rows: rows + 1, bytes: bytes + Buffer.byteLength(text) };
  });
  return totals;
}

/** A line for each stream with a filter, and warnings where the filter is probably not what was meant. */
export function filterText(streams: readonly { readonly name: string; readonly path: string }[], totals: FilterTotals) {
  return streams.flatMap(({ name, path }): string[] => {
    const found = totals[path];
    if (!found) return [];
    const { send, withhold, fault } = found;
    const kept = { rows: send.rows + fault.rows, bytes: send.bytes + fault.bytes };
    const share = Math.round((100 * withhold.bytes) / (kept.bytes + withhold.bytes));
    return [
      `Filter of ${name}: kept ${sizeText(kept)}, dropped ${sizeText(withhold)}, ${share} % of the bytes.`,
      ...(kept.rows === 0 ? ['  WARNING: it dropped every row of this run. Check the expression.'] : []),
      ...(fault.rows > 0
        ? [
            `  WARNING: it gave an error or no boolean for ${counted(fault.rows, 'row')}, sent all the same. Check the expression.`,
          ]
        : []),
    ];
  });
}

function sizeText({ rows, bytes }: FilterCounts): string {
  return `${counted(rows, 'row')} with ${counted(bytes, 'byte')}`;
}
