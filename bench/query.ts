/** `npm run bench:query`: the views of docs/query.md on DuckDB, each against reading the same files as lines. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { deliveredFiles } from '../local/query/delivered-files.ts';
import { EventDatabase } from '../local/query/event-database.ts';
import { aligned } from '../local/query/result-table.ts';
import { cpuTimeOf } from './cpu-time.ts';
import { writeEventFiles } from './event-files.ts';
import type { TrafficTruth } from './event-life.ts';
import { median } from './statistics.ts';

const { events, runs } = new Command('query')
  .description(
    'Measures the views over delivered files, and holds what they count against what the files were made from.',
  )
  .option('--events <n>', 'lines in the files', Number, 1_000_000)
  .option('--runs <n>', 'runs, of which the median is shown', Number, 3)
  .parse()
  .opts<{ events: number; runs: number }>();

const FLOOR = 'select sum(octet_length(encode(line))) from lines';
/** Each touches every column that costs something, the row above all. */
const SUBJECTS: readonly (readonly [name: string, sql: string])[] = [
  ['events', 'select count(event_id), count(id), count(time), count(forwarded_at), sum(length(row)) from events'],
  ['current_assets', 'select count(id), count(updated_at), sum(length(row)) from current_assets'],
  ['current_threats', 'select count(id), count(asset_id), sum(length(row)) from current_threats'],
  ['changes', 'select count(change), count(time), sum(length(row)) from changes'],
];

const folder = await mkdtemp(path.join(tmpdir(), 'bench-query-'));
try {
  await run();
} finally {
  await rm(folder, { recursive: true });
}

async function run(): Promise<void> {
  const { bytes, files, truth } = await writeEventFiles(folder, events);
  using database = await EventDatabase.open(await deliveredFiles(folder));
  console.log(`${events} lines, ${(bytes / 1e6).toFixed(0)} MB, in ${files} files\n`);
  const measurements = new Map<string, Spent[]>();
  for (let each = 0; each < runs; each++) {
    for (const [name, sql] of [['lines', FLOOR] as const, ...SUBJECTS]) {
      measurements.set(name, [...(measurements.get(name) ?? []), await spent(database, sql)]);
    }
  }
  print(measurements);
  await compare(database, truth);
}

interface Spent {
  readonly seconds: number;
  /** Of all threads: unlike time, it does not grow when others want the machine. */
  readonly cpuSeconds: number;
}

async function spent(database: EventDatabase, sql: string): Promise<Spent> {
  const start = performance.now();
  const cpuMicroseconds = await cpuTimeOf(async () => (await database.query(sql)).getRows());
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuMicroseconds / 1e6 };
}

function print(measurements: ReadonlyMap<string, readonly Spent[]>): void {
  const floors = measurements.get('lines')!;
  const rows = [...measurements].map(([name, each]) => {
    const cpu = median(each.map(({ cpuSeconds }) => cpuSeconds));
    const ratio = median(each.map(({ cpuSeconds }, index) => cpuSeconds / floors[index]!.cpuSeconds));
    const rate = Math.round(events / median(each.map(({ seconds }) => seconds)));
    return [name, `${rate} lines/s`, `${((cpu / events) * 1e6).toFixed(1)} µs`, ratio.toFixed(1)];
  });
  console.log(aligned(['relation', 'rate', 'CPU a line', 'ratio to lines'], rows));
}

async function compare(database: EventDatabase, truth: TrafficTruth): Promise<void> {
  const wrong: string[] = [];
  for (const [view, expected] of Object.entries(truth)) {
    const [row] = await (await database.query(`select count(*) from ${view}`)).getRows();
    if (Number(row![0]) !== expected) wrong.push(`${view} has ${row![0]} rows and should have ${expected}`);
  }
  console.log(`\ntruth     ${wrong.length === 0 ? 'equal' : wrong.join('; ')}`);
  if (wrong.length > 0) process.exitCode = 1;
}
