/** What `cost` prints: a line a part, and which prices nobody has confirmed. */
import type { BillLine } from '../../../lib/cost/bill.ts';
import { PRICES } from '../../../lib/cost/prices.ts';
import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import type { Estimate } from './estimate-cost.ts';
import type { Month } from './month.ts';
import type { Use, UsedLine } from './used-lines.ts';

const ABOUT = 'List prices of us-east-1, without free tiers and taxes.';
const MARKS = { aws: '', 'third-party': ' *', unconfirmed: ' **' } as const;
const FOOT = '* quoted by others than AWS   ** not confirmed: check it before you lean on it';

export function usedOutcome(month: Month, use: Use, lines: readonly UsedLine[]): Outcome {
  const rows = lines.map(line => [
    ...nameOf(line),
    number(line.quantity),
    dollars(line.dollars),
    dollars(line.projected),
  ]);
  const total = [
    'together',
    '',
    '',
    dollars(sum(lines, each => each.dollars)),
    dollars(sum(lines, each => each.projected)),
  ];
  const table = tableText(['part', 'price', 'used so far', 'US$ so far', "US$ at the month's end"], [...rows, total]);
  const notes = [
    'Firehose rounds each record up to 5 KiB: half of that is taken for each. Calls for the secret, KMS keys, VPC endpoints, SNS and',
    'transfer are not in it. A bucket or queue that others use too is counted whole.',
  ];
  return {
    text: [`${month.name}, ${Math.round(use.passed * 100)} % passed. ${ABOUT}`, '', table, '', FOOT, ...notes].join(
      '\n',
    ),
    json: {
      month: month.name,
      passed: use.passed,
      gathered: use.gathered,
      lines: lines.map(line => ({ ...lineJson(line), projected: line.projected })),
      dollars: sum(lines, each => each.dollars),
      projected: sum(lines, each => each.projected),
    },
  };
}

export function estimateOutcome({ numbers, lines, fillingUp }: Estimate): Outcome {
  const { assets, threats, dnsBlocksPerDay, changesPerDay, rateMinutes } = numbers;
  const rows = lines.map(line => [...nameOf(line), number(line.quantity), dollars(line.dollars)]);
  const table = tableText(
    ['part', 'price', 'used a month', 'US$ a month'],
    [...rows, ['together', '', '', dollars(sum(lines, each => each.dollars))]],
  );
  return {
    text: [
      `Estimated for ${assets} assets, ${threats} threats, ${dnsBlocksPerDay} DNS blocks and ${changesPerDay} changes a day, a run every ${rateMinutes} min. ${ABOUT}`,
      '',
      table,
      '',
      `Filling up, once: ${dollars(fillingUp)}. S3 is the bill after a year, with a year of events.`,
      FOOT,
    ].join('\n'),
    json: { numbers, lines: lines.map(lineJson), dollars: sum(lines, each => each.dollars), fillingUp },
  };
}

function nameOf({ part, price }: BillLine): [string, string] {
  const { per, source } = PRICES[price];
  return [part, `${per}${MARKS[source]}`];
}

function lineJson({ part, price, quantity, dollars: amount }: BillLine): object {
  const { dollars: aUnit, per, source } = PRICES[price];
  return { part, per, quantity, price: aUnit, source, dollars: amount };
}

function sum<T>(lines: readonly T[], of: (line: T) => number): number {
  return lines.reduce((total, each) => total + of(each), 0);
}

function dollars(amount: number): string {
  return amount.toFixed(2);
}

function number(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
