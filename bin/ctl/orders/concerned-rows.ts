/** How many rows an order concerns, by what the connector remembers of each stream. */
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { Context } from '../context.ts';
import { countStates } from '../state/count-states.ts';
import { scanText, tableSize } from '../state/table-size.ts';

/** Nothing where the connector remembers no rows of the stream. */
export type ConcernedRows = ReadonlyMap<StreamName, number | undefined>;

/** @throws RefusedError, AwsCallError */
export async function concernedRows(context: Context, streams: readonly StreamName[]): Promise<ConcernedRows> {
  const { aws, report } = context;
  const { table } = await context.deployment();
  const counted = streams.filter(remembers);
  const rows = new Map<StreamName, number | undefined>(streams.map(stream => [stream, undefined]));
  if (counted.length === 0) return rows;
  const size = await tableSize(aws, table, '--no-count leaves out the count. ');
  using progress = report.progress(`Counting the rows reads ${scanText(size)}.`, size.items);
  return new Map([...rows, ...(await countStates(aws, table, counted, progress))]);
}

function remembers(stream: StreamName): boolean {
  return STREAMS.some(({ name, hasRowStates }) => name === stream && hasRowStates);
}

export function concernedText(rows: ConcernedRows): string {
  const parts = [...rows].map(([stream, count]) =>
    count === undefined
      ? `${stream}: not remembered one by one, so nobody knows how many there are`
      : `${stream}: ${count} rows that the SIEM has`,
  );
  return parts.map(part => `  ${part}`).join('\n');
}
