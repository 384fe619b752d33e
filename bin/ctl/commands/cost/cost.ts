import { Command, Option } from 'commander';
import { type NamedStream, STREAMS, streamKey } from '../../../../lambda/streams.ts';
import { DEFAULTS } from '../../../../lib/connector-options.ts';
import { type BillLine, fillingUp, fixedParts, monthlyBill, type Tenant } from '../../../../lib/cost/bill.ts';
import { estimateCounts } from '../../../../lib/cost/estimate.ts';
import { PRICES } from '../../../../lib/cost/prices.ts';
import { examples, type Run, wholeNumber } from '../../command.ts';
import type { Context } from '../../context.ts';
import { RefusedError } from '../../errors.ts';
import type { Outcome } from '../../report.ts';
import { tableText } from '../../text.ts';
import { readUse, type Use, type UsedLine, usedLines } from './use.ts';

const MOST_MINUTES = 60;

export function costCommand(run: Run): Command {
  const command = new Command('cost').description(
    "show this month's cost so far and its projection, or estimate it from numbers without AWS; changes nothing",
  );
  const options = [
    ...VERSIONED.map(({ name }) => [`--${name} <n>`, `estimate: ${name}`] as const),
    ...IMMUTABLE.map(
      ({ name, singular }) =>
        [`--${name}-per-day <n>`, `estimate: ${singular}s per day (default: stream off)`] as const,
    ),
    ['--changes-per-day <n>', `estimate: changes per day, divided evenly between ${list.format(names)}`],
    ['--rate-minutes <n>', 'estimate: minutes between two runs, 1 to 60 (default: 1)'],
  ] as const;
  for (const [flags, description] of options)
    command.addOption(new Option(flags, description).argParser(wholeNumber()));
  return command
    .addHelpText(
      'after',
      examples('cost', 'cost --assets 10000 --threats 40000 --changes-per-day 50000 --dns-blocks-per-day 700000'),
    )
    .action(run((context, numbers: Numbers) => cost(context, numbers)));
}

async function cost(context: Context, numbers: Numbers): Promise<Outcome> {
  const { rateMinutes = 1, ...rows } = numbers;
  if (rateMinutes < 1 || rateMinutes > MOST_MINUTES) {
    throw new RefusedError(`--rate-minutes must be from 1 to ${MOST_MINUTES}. Nothing was done.`);
  }
  if (Object.values(rows).some(each => each !== undefined)) return estimateOutcome(estimateCost(numbers));
  if (numbers['rateMinutes'] !== undefined) {
    throw new RefusedError(
      `--rate-minutes is for an estimate. Add ${names.map(name => `--${name}`).join(' or ')}. Nothing was done.`,
    );
  }
  const month = monthOf(context.clock.now());
  const use = await readUse(context, month);
  return usedOutcome(month, use, usedLines(use));
}

/** A calendar month in UTC, as AWS bills it. */
export interface Month {
  /** `2026-11`. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

export function monthOf(now: number): Month {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: date.toISOString().slice(0, 7),
    start: Date.UTC(year, month, 1),
    end: Date.UTC(year, month + 1, 1),
  };
}

/** By option, as commander names it: rows of each stream, `changesPerDay` and `rateMinutes`. */
export type Numbers = Readonly<Partial<Record<string, number>>>;

export interface Estimate {
  readonly numbers: Readonly<Record<string, number>>;
  readonly lines: readonly BillLine[];
  /** One-time cost of the first run or of a replay, in dollars. */
  readonly fillingUp: number;
}

const HOURS = 24;

const VERSIONED: readonly NamedStream[] = STREAMS.filter(({ hasRowStates }) => hasRowStates);
const IMMUTABLE: readonly NamedStream[] = STREAMS.filter(({ hasRowStates }) => !hasRowStates);
const names = VERSIONED.map(({ name }) => name);
const list = new Intl.ListFormat('en-GB');

/** `dnsBlocksPerDay`: the option of a stream without row states, of which only what is new costs. */
function optionName({ name, hasRowStates }: NamedStream): string {
  return hasRowStates ? streamKey(name) : `${streamKey(name)}PerDay`;
}

/** Estimates the cost from numbers only, without AWS. */
export function estimateCost(given: Numbers): Estimate {
  const { changesPerDay = 0, rateMinutes = DEFAULTS.rateMinutes } = given;
  const rowsOf = (stream: NamedStream) => given[optionName(stream)] ?? 0;
  const changes = changesPerDay / VERSIONED.length / HOURS;
  const versioned = VERSIONED.map(stream => [stream.name, { stock: rowsOf(stream), changes }]);
  const immutable = IMMUTABLE.filter(stream => rowsOf(stream) > 0);
  const tenant: Tenant = {
    name: 'estimated',
    streams: Object.fromEntries([
      ...versioned,
      ...immutable.map(stream => [stream.name, { changes: rowsOf(stream) / HOURS }]),
    ]),
  };
  const counts = estimateCounts(tenant, { rateMinutes });
  const rows = Object.fromEntries([...VERSIONED, ...IMMUTABLE].map(stream => [optionName(stream), rowsOf(stream)]));
  return {
    numbers: { ...rows, changesPerDay, rateMinutes },
    lines: monthlyBill(tenant, counts, fixedParts()),
    fillingUp: fillingUp(tenant, counts),
  };
}

const ABOUT = 'List prices of us-east-1, without free tiers and taxes.';
const MARKS = { aws: '', 'third-party': ' *', unconfirmed: ' **' } as const;
const FOOT = '* not quoted by AWS   ** not confirmed: check before you rely on it';

export function usedOutcome(month: Month, use: Use, lines: readonly UsedLine[]): Outcome {
  const rows = lines.map(line => [
    ...nameOf(line),
    number(line.quantity),
    dollars(line.dollars),
    dollars(line.projected),
  ]);
  const total = [
    'total',
    '',
    '',
    dollars(sum(lines, each => each.dollars)),
    dollars(sum(lines, each => each.projected)),
  ];
  const table = tableText(['part', 'price', 'used so far', 'US$ so far', "US$ at the month's end"], [...rows, total]);
  const notes = [
    'Firehose rounds each record up to 5 KiB, estimated as half of that per record. Not included: requests for the secret, KMS keys,',
    'VPC endpoints, SNS and data transfer. A shared bucket or queue is counted in full.',
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
  const counted = [...VERSIONED, ...IMMUTABLE].map(stream => `${numbers[optionName(stream)]} ${stream.singular}s`);
  const rows = lines.map(line => [...nameOf(line), number(line.quantity), dollars(line.dollars)]);
  const table = tableText(
    ['part', 'price', 'used a month', 'US$ a month'],
    [...rows, ['total', '', '', dollars(sum(lines, each => each.dollars))]],
  );
  return {
    text: [
      `Estimated for ${list.format([...counted, `${numbers['changesPerDay']} changes a day`])}, a run every ${numbers['rateMinutes']} min. ${ABOUT}`,
      '',
      table,
      '',
      `First run, once: ${dollars(fillingUp)}. The S3 line is for a year of stored events.`,
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
