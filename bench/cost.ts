/** Counts what three tenants' minutes take with the real handler, and computes their monthly bills: two tables on stdout. */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Command } from 'commander';
import { readConnectors } from '../lib/config/read-connectors.ts';
import { ConnectorStack } from '../lib/connector-stack.ts';
import { type BillLine, billedMilliseconds, type Fixed, fillingUp, monthlyBill } from '../lib/cost/bill.ts';
import { estimateCounts } from '../lib/cost/estimate.ts';
import { PRICES } from '../lib/cost/prices.ts';
import type { Counts, Tenant } from '../lib/cost/tenant.ts';
import { DEFAULTS } from '../lib/defaults.ts';
import { countMinutes } from './cost-counts.ts';
import { TENANTS } from './cost-tenants.ts';

const { minutes } = new Command('cost')
  .description('Computes the monthly bill of three tenants from counted calls, units and bytes.')
  .option('--minutes <n>', 'minutes of each tenant that are counted', Number, 10)
  .parse()
  .opts<{ minutes: number }>();

const fixed = fixedParts();
const counted: Counts[] = [];
for (const tenant of TENANTS) {
  console.error(`${tenant.name}: ${minutes} minutes`);
  counted.push(await countMinutes(tenant, minutes));
}
const bills = TENANTS.map((tenant, index) => monthlyBill(tenant, counted[index]!, fixed));
console.log(table(['Counted a minute', ...TENANTS.map(each => each.name)], countRows(counted)));
console.log(`\n${table(['US dollars a month', ...TENANTS.map(each => each.name)], billRows(bills))}`);
console.log(`\n${table(['Price', 'US dollars', 'Read where'], priceRows())}`);

function fixedParts(): Fixed {
  const app = new App({
    context: { 'aws:cdk:bundling-stacks': [] },
    analyticsReporting: false,
    outdir: 'node_modules/.cache/synth/cost',
  });
  const [config] = readConnectors([
    { name: 'cost', baseUrl: 'https://api.example', authUrl: 'https://auth.example', dnsBlocksPath: '/v1/dns-blocks' },
  ]);
  const template = Template.fromStack(new ConnectorStack(app, config!));
  const count = (type: string): number => Object.keys(template.findResources(type)).length;
  return {
    memoryMegabytes: DEFAULTS.memoryMegabytes,
    alarms: count('AWS::CloudWatch::Alarm'),
    compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    secrets: count('AWS::SecretsManager::Secret'),
    bufferMegabytes: 64,
    retentionMonths: DEFAULTS.retentionDays / 30.4,
  };
}

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
    ['estimated by `connectorctl cost`', ...TENANTS.map(tenant => sumOf(estimated(tenant)).toFixed(2))],
    ['filling up, once', ...TENANTS.map((tenant, index) => fillingUp(tenant, counted[index]!).toFixed(2))],
  ];
}

function estimated(tenant: Tenant): BillLine[] {
  return monthlyBill(tenant, estimateCounts(tenant, { rateMinutes: 1, dnsBlocks: true }), fixed);
}

function priceRows(): string[][] {
  return Object.values(PRICES).map(({ dollars, per, source }) => [per, String(Number(dollars.toPrecision(6))), source]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
