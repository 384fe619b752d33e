/** `--all`: one line for each connector, the worst first. One that cannot be read is a line too. */
import type { ConnectorContext, Context } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { groupBy } from '../group-by.ts';
import { joined, paint, painted, type Text } from '../painted.ts';
import { known, type ReadResult, tryRead } from '../read-result.ts';
import type { Outcome } from '../report.ts';

/** What is shown of one connector. */
export interface Summary {
  /** The lowest is the worst. */
  readonly rank: number;
  /** Connectors of one kind are counted. */
  readonly kind: string;
  readonly text: Text;
  readonly json: object;
  /** Whether somebody must act. */
  readonly isFinding: boolean;
}

interface Row {
  readonly connector: string;
  readonly summary: Summary;
}

/** Each connector takes some 20 calls. AWS limits the rate of DescribeAlarms to 9 a second. */
const AT_ONCE = 4;

/** @throws RefusedError if there is no connector, and what listing the stacks throws */
export async function everyConnector(
  context: Context,
  summarize: (context: Context) => Promise<Summary>,
): Promise<Outcome> {
  const { connector, stack } = context.options;
  if (connector !== undefined || stack !== undefined) {
    throw new RefusedError('--all takes neither --connector nor --stack. Nothing was done.');
  }
  const found = await context.connectors();
  if (found.length === 0) {
    throw new RefusedError('There is no connector there. Use --region or --profile, or deploy one.');
  }

  using progress = context.report.progress(`Reading ${found.length} connectors.`);
  const rows = await atMost(AT_ONCE, found, async each => {
    const row = await rowOf(each, summarize);
    progress.advance(each.connector);
    return row;
  });
  return outcomeOf(rows);
}

async function rowOf(
  { connector, context }: ConnectorContext,
  summarize: (context: Context) => Promise<Summary>,
): Promise<Row> {
  const read: ReadResult<Summary> = await tryRead(() => summarize(context), context.signal);
  return { connector, summary: known(read) ?? notReadable('notReadable' in read ? read.notReadable : '') };
}

function notReadable(reason: string): Summary {
  const text = paint.bad(`not readable: ${reason}`);
  return { rank: Number.NEGATIVE_INFINITY, kind: 'not readable', text, json: { notReadable: reason }, isFinding: true };
}

function outcomeOf(rows: readonly Row[]): Outcome {
  const sorted = rows.toSorted((a, b) => a.summary.rank - b.summary.rank || (a.connector < b.connector ? -1 : 1));
  const width = Math.max(...rows.map(({ connector }) => connector.length));
  const lines = sorted.map(({ connector, summary }) => painted`${connector.padEnd(width)}  ${summary.text}`);
  const kinds = [...groupBy(sorted, ({ summary }) => summary.kind)].map(([kind, of]) => `${of.length} ${kind}`);
  return {
    text: joined([...lines, '', kinds.join(', ')]),
    json: { connectors: sorted.map(({ connector, summary }) => ({ connector, ...summary.json })) },
    status: rows.some(({ summary }) => summary.isFinding) ? 3 : 0,
  };
}

/** Runs `task` for each item, so many at the same time. @throws what the first task to fail threw */
async function atMost<Item, Result>(
  limit: number,
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [at, item] of waiting) results[at] = await task(item);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
