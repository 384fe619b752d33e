/** Measures what the connector costs: a table on stdout, and the same as JSON under bench/results/. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { type Figure, type Measurement, type Result, summarize, table } from './figure.ts';
import { FIGURES } from './figures.ts';

const RESULTS = path.join(import.meta.dirname, 'results');
const NAMES = FIGURES.map(each => each.name);

const options = new Command('bench')
  .description('Measures what the connector costs, each figure against a floor of the same run.')
  .option('--only <names...>', `figures to measure: ${NAMES.join(', ')}`, NAMES)
  .option('--runs <n>', 'runs of each figure that is not a count', wholeNumber, 3)
  .option('--check', 'exit with 1 when a target is missed')
  .parse()
  .opts<{ only: string[]; runs: number; check?: boolean }>();

const unknown = options.only.filter(name => !NAMES.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown figure: ${unknown.join(', ')}. Choose from ${NAMES.join(', ')}.`);
  process.exit(2);
}

const results: Result[] = [];
for (const figure of FIGURES.filter(each => options.only.includes(each.name))) {
  console.error(`${figure.name}: ${figure.title}`);
  results.push(...summarize(figure.name, await runsOf(figure)));
}
console.log(table(results));
console.log(`\nWritten to ${path.relative(process.cwd(), await save(results))}`);
if (options.check && results.some(each => each.met === false)) process.exitCode = 1;

async function runsOf(figure: Figure): Promise<Measurement[][]> {
  const runs: Measurement[][] = [];
  for (let run = 0; run < (figure.runs ?? options.runs); run++) runs.push(await figure.measure('full'));
  return runs;
}

async function save(all: readonly Result[]): Promise<string> {
  const at = new Date().toISOString();
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const file = path.join(RESULTS, `${at.replace(/[:.]/g, '-')}.json`);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(file, `${JSON.stringify({ at, machine, results: all }, null, 2)}\n`);
  return file;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error('--runs must be a whole number, 1 or greater');
  return number;
}
