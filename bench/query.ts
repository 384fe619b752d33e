/** `npm run bench:query`: the views of docs/query.md on DuckDB, each compared with reading the same files as lines. */
import { Command } from 'commander';
import { EventDatabase } from '../local/query/event-database.ts';
import { deliveredFiles } from '../local/query/files.ts';
import { aligned } from '../local/query/result.ts';
import { type TrafficTruth, writeEventFiles } from './event-files.ts';
import { median } from './figure.ts';
import { temporaryFolder } from './processes.ts';
import { cpuTimeOf } from './resources.ts';

const { events, runs } = new Command('query')
  .description('Measures the views over delivered files, and compares their counts with what the files were made from.')
  .option('--events <n>', 'lines in the files', Number, 1_000_000)
  .option('--runs <n>', 'runs, of which the median is shown', Number, 3)
  .parse()
  .opts<{ events: number; runs: number }>();

const FLOOR = 'select sum(octet_length(encode(line))) from lines';
/** Each query reads every column that takes time, above all the row. */
const SUBJECTS: readonly (readonly [name: string, sql: string])[] = [
  ['events', 'select count(event_id), count(id), count(time), count(forwarded_at), sum(length(row)) from events'],
  ['current_assets', 'select count(id), count(updated_at), sum(length(row)) from current_assets'],
  ['current_threats', 'select count(id), count(asset_id), sum(length(row)) from current_threats'],
  ['changes', 'select count(change), count(time), sum(length(row)) from changes'],
];

await run();

async function run(): Promise<void> {
  await using folder = await temporaryFolder('query');
  const { bytes, files, truth } = await writeEventFiles(folder.path, events);
  using database = await EventDatabase.open(await deliveredFiles(folder.path));
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
  /** Of all threads. Unlike elapsed time, it does not grow on a busy machine. */
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
