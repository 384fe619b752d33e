/** Counts what minutes of three tenants take with the real handler and prints their monthly bills, beside the prices. */
import { Command } from 'commander';
import {
  type BillLine,
  billedMilliseconds,
  type Counts,
  fillingUp,
  fixedParts,
  monthlyBill,
  streamsOf,
  type Tenant,
} from '../lib/cost/bill.ts';
import { estimateCounts, seriesOf } from '../lib/cost/estimate.ts';
import { PRICES } from '../lib/cost/prices.ts';
import { countMinutes } from './cost-counts.ts';

/** Invented tenants, as docs/cost.md states. */
const TENANTS: readonly Tenant[] = [
  tenant('small', { assets: 500, threats: 2_000, changes: 60, removals: 1, dnsBlocks: 600 }),
  tenant('middle', { assets: 10_000, threats: 40_000, changes: 1_200, removals: 12, dnsBlocks: 30_000 }),
  tenant('large', { assets: 100_000, threats: 400_000, changes: 12_000, removals: 60, dnsBlocks: 600_000 }),
];

/** @param changes an hour's, of assets and of threats each */
function tenant(name: string, of: Record<'assets' | 'threats' | 'changes' | 'removals' | 'dnsBlocks', number>): Tenant {
  const { assets, threats, changes, removals, dnsBlocks } = of;
  const streams = {
    assets: { stock: assets, changes, removals },
    threats: { stock: threats, changes },
    'dns-blocks': { changes: dnsBlocks },
  };
  return { name, streams };
}

const { minutes } = new Command('cost')
  .description('Computes the monthly bill of three tenants from counted calls, units and bytes.')
  .option('--minutes <n>', 'minutes of each tenant that are counted', Number, 10)
  .parse()
  .opts<{ minutes: number }>();

const fixed = fixedParts();
const counted: Counts[] = [];
for (const each of TENANTS) {
  console.error(`${each.name}: ${minutes} minutes`);
  counted.push(await countMinutes(each, minutes));
}
// Some minutes need not have a removal, and an hour with one is billed.
const bills = TENANTS.map((each, index) =>
  monthlyBill(each, { ...counted[index]!, metrics: seriesOf(streamsOf(each)) }, fixed),
);
console.log(table(['Counted a minute', ...TENANTS.map(each => each.name)], countRows(counted)));
console.log(`\n${table(['US dollars a month', ...TENANTS.map(each => each.name)], billRows(bills))}`);
console.log(`\n${table(['Price', 'US dollars', 'Read where'], priceRows())}`);

function countRows(counts: readonly Counts[]): string[][] {
  const each = (name: string, of: (count: Counts) => number, digits: number): string[] => [
    name,
    ...counts.map(count => (of(count) / count.minutes).toFixed(digits)),
  ];
  return [
    each('run, ms', ({ wall }) => wall, 0),
    each('of it at work (this machine’s CPU), ms', ({ cpu }) => cpu, 0),
    each(
      `billed by Lambda at ${fixed.memoryMegabytes} MB, ms`,
      count => billedMilliseconds(count, fixed.memoryMegabytes),
      0,
    ),
    each('DynamoDB write units', ({ writeUnits }) => writeUnits, 1),
    each('DynamoDB read units', ({ readUnits }) => readUnits, 1),
    each('Firehose, bytes of lines', ({ lineBytes }) => lineBytes, 0),
    each('Firehose, bytes billed', ({ billedBytes }) => billedBytes, 0),
    each('gzipped in S3, bytes', ({ storedBytes }) => storedBytes, 0),
    each('logs and metrics on stdout, bytes', ({ logBytes }) => logBytes, 0),
    ['metrics', ...counts.map(({ metrics }) => String(metrics))],
  ];
}

function billRows(all: readonly BillLine[][]): string[][] {
  const parts = [...new Set(all[0]!.map(({ part }) => part))];
  const sumOf = (lines: readonly BillLine[]): number => lines.reduce((total, { dollars }) => total + dollars, 0);
  const rows = parts.map(part => [
    part,
    ...all.map(lines => sumOf(lines.filter(each => each.part === part)).toFixed(2)),
  ]);
  return [
    ...rows,
    ['**together**', ...all.map(lines => `**${sumOf(lines).toFixed(2)}**`)],
    ['estimated by `connectorctl cost`', ...TENANTS.map(each => sumOf(estimated(each)).toFixed(2))],
    ['filling up, once', ...TENANTS.map((each, index) => fillingUp(each, counted[index]!).toFixed(2))],
  ];
}

function estimated(each: Tenant): BillLine[] {
  return monthlyBill(each, estimateCounts(each, { rateMinutes: 1 }), fixed);
}

function priceRows(): string[][] {
  return Object.values(PRICES).map(({ dollars, per, source }) => [per, String(Number(dollars.toPrecision(6))), source]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
