/** How many rows an order concerns, by what the connector remembers of each stream. */
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { Context } from '../context.ts';
import { countPrice, countStates, tableSize } from '../state/count-states.ts';

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
  const price = countPrice(size, counted.length);
  const title = `Counting the rows reads the whole table${size.items > 0 ? `, about ${size.items} items` : ''}, for ${price < 0.01 ? 'less than a cent' : `$${price.toFixed(2)}`}.`;
  using progress = report.progress(title, size.items * counted.length);
  for (const stream of counted) rows.set(stream, await countStates(aws, table, stream, progress));
  return rows;
}

function remembers(stream: StreamName): boolean {
  return STREAMS.some(({ name, memory }) => name === stream && memory === 'row-states');
}

export function concernedText(rows: ConcernedRows): string {
  const parts = [...rows].map(([stream, count]) =>
    count === undefined
      ? `${stream}: not remembered one by one, so nobody knows how many there are`
      : `${stream}: ${count} rows that the SIEM has`,
  );
  return parts.map(part => `  ${part}`).join('\n');
}
