/** `--all`: one line for each connector, the worst first. One that cannot be read is a line too. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { REGION } from '../../../lib/region.ts';
import type { ConnectorContext, Context } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { groupBy } from '../group-by.ts';
import { joined, paint, painted, type Text } from '../painted.ts';
import { known, type ReadResult, tryRead } from '../read-result.ts';
import type { Outcome } from '../report.ts';

export interface EveryOptions {
  readonly all?: true;
  readonly regions?: readonly string[];
}

/** Adds the options. @param others options that they exclude */
export function withEvery(command: Command, ...others: string[]): Command {
  const all = new Option('--all', 'one line for each connector of account and region, the worst first');
  const regions = new Option('--regions <list>', 'the same for several regions, for example eu-west-1,us-east-1');
  return command.addOption(all.conflicts(others)).addOption(regions.argParser(regionList).conflicts(others));
}

function regionList(text: string): readonly string[] {
  const regions = text.split(',');
  if (regions.every(each => REGION.test(each))) return [...new Set(regions)];
  throw new InvalidArgumentError('It must be regions separated by commas, for example eu-west-1,us-east-1.');
}

export function isEvery({ all, regions }: EveryOptions): boolean {
  return all === true || regions !== undefined;
}

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
  readonly region: string;
  /** Undefined for a region whose stacks cannot be listed. */
  readonly connector?: string;
  readonly summary: Summary;
}

/** Each connector takes some 20 calls. AWS limits the rate of DescribeAlarms to 9 a second. */
const AT_ONCE = 4;

/** @throws RefusedError if there is no connector; what listing the stacks threw if no region can be read */
export async function everyConnector(
  context: Context,
  { regions }: EveryOptions,
  summarize: (context: Context) => Promise<Summary>,
): Promise<Outcome> {
  const { connector, stack, region } = context.options;
  if (connector !== undefined || stack !== undefined || (region !== undefined && regions !== undefined)) {
    throw new RefusedError('--all takes --region or --regions, and neither --connector nor --stack. Nothing was done.');
  }
  const { found, unread } = await listed(context, regions ?? [undefined]);
  if (found.length + unread.length === 0) {
    throw new RefusedError('There is no connector there. Use --regions or --profile, or deploy one.');
  }
  using progress = context.report.progress(`Reading ${found.length} connectors.`, found.length);
  const rows = await atMost(AT_ONCE, found, async each => {
    const row = await rowOf(each, summarize);
    progress.advance(1, each.connector);
    return row;
  });
  return outcomeOf([...unread, ...rows]);
}

async function listed(context: Context, regions: readonly (string | undefined)[]) {
  const found: ConnectorContext[] = [];
  const unread: Row[] = [];
  for (const region of regions) {
    // With a single region, its failure is the failure of the command.
    const read =
      regions.length === 1
        ? { value: await context.connectors(region) }
        : await tryRead(() => context.connectors(region), context.signal);
    if ('value' in read) found.push(...read.value);
    else unread.push({ region: region!, summary: notReadable(read.notReadable) });
  }
  return { found, unread };
}

async function rowOf(
  { connector, region, context }: ConnectorContext,
  summarize: (context: Context) => Promise<Summary>,
): Promise<Row> {
  const read: ReadResult<Summary> = await tryRead(() => summarize(context), context.signal);
  return { connector, region, summary: known(read) ?? notReadable('notReadable' in read ? read.notReadable : '') };
}

function notReadable(reason: string): Summary {
  const text = paint.bad(`not readable: ${reason}`);
  return { rank: Number.NEGATIVE_INFINITY, kind: 'not readable', text, json: { notReadable: reason }, isFinding: true };
}

function outcomeOf(rows: readonly Row[]): Outcome {
  const name = ({ connector = '', region }: Row) => `${connector} ${region}`;
  const sorted = rows.toSorted((a, b) => a.summary.rank - b.summary.rank || (name(a) < name(b) ? -1 : 1));
  const width = (of: (row: Row) => string) => Math.max(...rows.map(row => of(row).length));
  const [names, regions] = [width(({ connector = '' }) => connector), width(({ region }) => region)];
  const lines = sorted.map(
    ({ connector = '', region, summary }) =>
      painted`${connector.padEnd(names)}  ${region.padEnd(regions)}  ${summary.text}`,
  );
  const kinds = [...groupBy(sorted, ({ summary }) => summary.kind)].map(([kind, of]) => `${of.length} ${kind}`);
  return {
    text: joined([...lines, '', kinds.join(', ')]),
    json: { connectors: sorted.map(({ connector, region, summary }) => ({ connector, region, ...summary.json })) },
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
