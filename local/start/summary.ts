import { createReadStream } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DIMENSIONS, STREAM_METRICS, STREAM_PROPERTIES } from '../../lambda/metrics.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { optionName } from '../npm-command.ts';
import type { StartRequest } from './options.ts';
import { countText, numberText } from './progress.ts';

const COUNTS = Object.keys({ ...STREAM_METRICS, ...STREAM_PROPERTIES }) as (
  | keyof typeof STREAM_METRICS
  | keyof typeof STREAM_PROPERTIES
)[];

export type StreamCounts = Record<(typeof COUNTS)[number], number>;
export type MetricsOfStream = (stream: string) => Readonly<StreamCounts>;

/**
 * Sums the metrics that the function wrote to its log for each stream (CloudWatch embedded metric
 * format). Unlike the handler's result, the metrics include invocations that failed.
 *
 * @param start length of the log before this run, in bytes
 */
export async function readLoggedMetrics(logFile: string, start: number): Promise<MetricsOfStream> {
  const streams = new Map<string, StreamCounts>();
  const zeros = () => Object.fromEntries(COUNTS.map(name => [name, 0])) as StreamCounts;
  for await (const line of createInterface({ input: createReadStream(logFile, { start }) })) {
    const blob = line.includes('"_aws"') ? parse(line) : {};
    const stream = blob[DIMENSIONS.stream];
    if (typeof stream !== 'string') continue;
    const counts = streams.get(stream) ?? zeros();
    streams.set(stream, counts);
    for (const name of COUNTS) counts[name] += Number(blob[name] ?? 0);
  }
  return stream => streams.get(stream) ?? zeros();
}

/** Parses a line. A line that is not JSON is ignored, because a full disk cuts a line short. */
function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

interface Line {
  readonly title: string;
  readonly count: (counts: StreamCounts) => number;
  /** Note below the table, which is shown only if the line is not zero. */
  readonly text?: string;
  /** Whether the line is left out if it is zero. */
  readonly isRare?: true;
}

/** Outcomes of rows. Each row that was read counts in exactly one of these lines. */
const OUTCOMES: readonly Line[] = [
  // An oversize row is a dead letter, so the event that points to it is subtracted here and counted
  // below.
  { title: 'forwarded', count: of => of.EventsForwarded - of.ThreatsWithdrawn - of.OversizeEvents },
  { title: 'duplicates', count: of => of.Duplicates, text: 'the SIEM already has these rows.' },
  { title: 'superseded', count: of => of.RowsSuperseded, text: 'a later row of the same page replaced them.' },
  { title: 'unknown', count: of => of.UnknownTombstones, text: 'tombstones of assets that were never sent.' },
  { title: 'filtered', count: of => of.RowsFiltered, text: 'rows that a filter excludes.', isRare: true },
  { title: 'dead letters', count: of => of.DeadLetters, text: 'rows that cannot be events. They are kept.' },
];

/** Rows that a failed or interrupted run read but did not finish. */
const UNFINISHED: Line = {
  title: 'not finished',
  count: of => of.RowsRead - OUTCOMES.reduce((sum, { count }) => sum + count(of), 0),
  text: 'nothing is lost. The next run reads them again.',
  isRare: true,
};

/**
 * Figures about events. They do not add to the rows: a tombstone is a forwarded row, and a
 * withdrawal has no row.
 */
const EVENTS: readonly Line[] = [
  { title: 'tombstones', count: of => of.Tombstones, text: 'among the forwarded rows.' },
  { title: 'withdrawn', count: of => of.ThreatsWithdrawn },
  { title: 'oversize events', count: of => of.OversizeEvents, isRare: true },
];

const TITLE_WIDTH = 'oversize events'.length;

/**
 * Table of the rows by outcome, with a column for each stream, and a column for all streams. It is
 * at most 60 characters wide.
 *
 *     read = forwarded + duplicates + superseded + unknown (+ filtered) + dead letters (+ not finished)
 */
export function summaryTable(streams: readonly string[], metrics: MetricsOfStream): string {
  const figures = ({ count }: Line) => {
    const each = streams.map(stream => count(metrics(stream)));
    return [...each, each.reduce((sum, figure) => sum + figure, 0)];
  };
  const row = (title: string, line: Line) => [title, ...figures(line).map(numberText)];
  const isShown = (line: Line) => !line.isRare || figures(line).some(figure => figure !== 0);
  const outcomes = [...OUTCOMES, UNFINISHED].filter(isShown);
  const head = ['rows', ...streams, 'all'];
  const rows = [
    row('read', { title: 'read', count: of => of.RowsRead }),
    ...outcomes.map((line, index) => row(`${index === 0 ? '=' : '+'} ${line.title}`, line)),
  ];
  const events = EVENTS.filter(isShown).map(line => row(line.title, line));
  const widths = head.map((_, column) => Math.max(...[head, ...rows, ...events].map(cells => cells[column]!.length)));
  const text = ([title = '', ...cells]: readonly string[]) =>
    [title.padEnd(TITLE_WIDTH), ...cells.map((cell, column) => cell.padStart(widths[column + 1]!))].join('  ');
  const rule = '-'.repeat(text(head).length);
  return [text(head), rule, ...rows.map(text), rule, ...events.map(text)].join('\n');
}

/**
 * Explains the lines of the table that are not zero, and names the next things to check.
 *
 * @param streams names of the streams that are on
 */
export function summaryNotes(streams: readonly string[], metrics: MetricsOfStream): string[] {
  const sum = (count: Line['count']) => streams.reduce((total, stream) => total + count(metrics(stream)), 0);
  const withoutAsset = sum(of => of.ThreatsWithoutAsset);
  const off = STREAMS.filter(stream => !streams.includes(stream.name));
  return [
    ...[...OUTCOMES, UNFINISHED, ...EVENTS].flatMap(({ title, count, text }) =>
      text !== undefined && sum(count) !== 0 ? [`${title}: ${text}`] : [],
    ),
    ...streams.flatMap(stream => filterWarnings(stream, metrics(stream))),
    ...(withoutAsset > 0
      ? [
          `Threats that do not name their asset: ${numberText(withoutAsset)}. --threat-asset-field says which member does.`,
        ]
      : []),
    ...(sum(of => of.CursorRefused) > 0
      ? ['The API refused a cursor. Rows were read again, and only rows that had changed were sent.']
      : []),
    ...off.flatMap(stream =>
      'pathOption' in stream ? [`The stream ${stream.name} is off: ${optionName(stream.pathOption)} turns it on.`] : [],
    ),
  ];
}

function filterWarnings(stream: string, { RowsRead: read, RowsFiltered: dropped, FilterErrors: errors }: StreamCounts) {
  return [
    ...(dropped > 0 && dropped === read
      ? [`WARNING: the filter of ${stream} dropped every row of this run. Check the expression.`]
      : []),
    ...(errors > 0
      ? [
          `WARNING: the filter of ${stream} failed or did not return a boolean for ${countText(errors, 'row')}, sent all the same. Check the expression.`,
        ]
      : []),
  ];
}

export interface OutputPlaces {
  readonly delivered: string;
  /** Number of files that this run delivered. */
  readonly files: number;
  /** Folder of dead letters. Undefined if this run had none. */
  readonly deadLetters?: string;
  readonly log: string;
}

/** Names the places of the output, relative to the working directory. */
export function placesText({ delivered, files, deadLetters, log }: OutputPlaces): string {
  return [
    `Delivered events      ${here(delivered)} (${countText(files, 'file')} by this run)`,
    ...(deadLetters === undefined ? [] : [`Dead letters          ${here(deadLetters)}`]),
    `Function's log        ${here(log)}`,
  ].join('\n');
}

/** Suggests commands after a complete run. */
export function nextStepsText({ folder, target, again }: StartRequest, delivered: string): string {
  const start = (...options: string[]) => {
    const args = [...again, ...options].map(shellWord);
    return ['npm start', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  };
  // The query reads `.local`, and thereby the files of every name, unless it has `--folder`. So
  // this run's folder is given if it is not the default.
  const query = folder === resolve('.local', 'local') ? '' : ` -- --folder ${shellWord(here(folder))}`;
  const steps = [
    // The shell runs gzip, which therefore ends without an error when `head` closes the pipe.
    [
      `gzip -dc "$(find ${shellWord(here(delivered))} -name '*.json.gz' | sort | tail -n 1)" | head -n 1`,
      'one event as the SIEM gets it',
    ],
    [`npm run query${query}`, 'what was delivered, in SQL'],
    [start(), 'again: only changes are sent'],
    ...('baseUrl' in target
      ? []
      : [[start('--change', '50'), 'an asset is removed first: its tombstone, its threats withdrawn']]),
    [start('--reset'), 'from the beginning, into empty folders'],
    ['npm start -- --help', 'a real tenant, and everything else'],
  ];
  return `Try next\n${steps.map(([command, what]) => `  ${command}\n      ${what}`).join('\n')}`;
}

function here(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short || '.';
}

/** Quotes a word for a shell command, if necessary. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
