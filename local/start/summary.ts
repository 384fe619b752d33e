import { dirname, relative, resolve } from 'node:path';
import {
  DIMENSIONS,
  STREAM_METRICS,
  STREAM_PROPERTIES,
  type StreamMetric,
  type StreamProperty,
} from '../../lambda/metric-names.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { optionOf } from '../npm-options.ts';
import type { StartRequest } from './options.ts';
import { counted, grouped } from './progress.ts';

type Line = readonly [title: string, count: (counts: StreamCounts) => number];

/** Each row that was read counts in exactly one of these. */
const OUTCOMES: readonly Line[] = [
  // A row that exceeds the size of a record is a dead letter. The event that points to it is counted below.
  ['forwarded', counts => counts.EventsForwarded - counts.ThreatsWithdrawn - counts.OversizeEvents],
  ['suppressed', counts => counts.RowsDeduplicated],
  ['superseded', counts => counts.RowsSuperseded],
  ['ignored', counts => counts.TombstonesIgnored],
  ['filtered', counts => counts.RowsFiltered],
  ['dead letters', counts => counts.DeadLetters],
];

/** Lines that are left out where they are zero. */
const RARE: ReadonlySet<string> = new Set(['filtered', 'not finished', 'oversize events']);

/** Rows that a failed or interrupted run read but did not finish. */
const UNFINISHED: Line = [
  'not finished',
  counts => counts.RowsRead - OUTCOMES.reduce((sum, [, count]) => sum + count(counts), 0),
];

/** Not rows of their own. Withdrawals are events without a row. */
const EVENTS: readonly Line[] = [
  ['tombstones', counts => counts.Tombstones],
  ['withdrawn', counts => counts.ThreatsWithdrawn],
  ['oversize events', counts => counts.OversizeEvents],
];

const TITLE_WIDTH = 'oversize events'.length;

/**
 * What became of the rows: a column per stream, and one for all. At most 60 characters wide.
 *
 *     read = forwarded + suppressed + superseded + ignored (+ filtered) + dead letters (+ not finished)
 */
export function summaryTable(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string {
  const names = [...streams, 'all'];
  const figures = (count: Line[1]) => {
    const each = streams.map(stream => count(countsOf(stream)));
    return [...each, each.reduce((sum, figure) => sum + figure, 0)];
  };
  const isShown = ([title, count]: Line) => !RARE.has(title) || figures(count).some(figure => figure !== 0);
  const outcomes = [...OUTCOMES, UNFINISHED].filter(isShown);
  const lines: Line[] = [['read', counts => counts.RowsRead], ...outcomes.map(indented), ...EVENTS.filter(isShown)];
  const cells = lines.map(([title, count]) => [title, figures(count).map(grouped)] as const);
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map(([, texts]) => texts[column]!.length)));
  const line = (title: string, texts: readonly string[]) =>
    [title.padEnd(TITLE_WIDTH), ...texts.map((text, column) => text.padStart(widths[column]!))].join('  ');
  const head = line('rows', names);
  const rule = '-'.repeat(head.length);
  const shown = cells.map(([title, texts]) => line(title, texts));
  return [head, rule, ...shown.slice(0, outcomes.length + 1), rule, ...shown.slice(outcomes.length + 1)].join('\n');
}

function indented([title, count]: Line): Line {
  return [`${title === OUTCOMES[0]![0] ? '=' : '+'} ${title}`, count];
}

/** Explains the lines of the table that are not zero. */
export function summaryLegend(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string[] {
  const isUsed = (count: Line[1]) => streams.some(stream => count(countsOf(stream)) !== 0);
  return LEGEND.flatMap(([title, text]) => {
    const found = [...OUTCOMES, UNFINISHED, ...EVENTS].find(([each]) => each === title);
    return found && isUsed(found[1]) ? [`${title}: ${text}`] : [];
  });
}

const LEGEND = [
  ['suppressed', 'the SIEM already has these rows.'],
  ['superseded', 'a later row of the same page replaced them.'],
  ['ignored', 'tombstones of assets that were never sent.'],
  ['filtered', 'rows that a filter excludes.'],
  ['dead letters', 'rows that cannot be events. They are kept.'],
  ['not finished', 'nothing is lost. The next run reads them again.'],
  ['tombstones', 'among the forwarded rows.'],
] as const;

/** Notes that the figures do not show. `streams` are those that are on. */
export function summaryNotes(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string[] {
  const sum = (count: (counts: StreamCounts) => number) =>
    streams.reduce((total, stream) => total + count(countsOf(stream)), 0);
  const withoutParent = sum(counts => counts.ThreatsWithoutAsset);
  const refused = sum(counts => counts.CursorRefused);
  return [
    ...(withoutParent > 0
      ? [
          `Threats that do not name their asset: ${grouped(withoutParent)}. --threat-asset-field says which member does.`,
        ]
      : []),
    ...(refused > 0 ? ['The API refused a cursor; rows were read again, and only what had changed was sent.'] : []),
    ...STREAMS.flatMap(stream =>
      'path' in stream || streams.includes(stream.name)
        ? []
        : [`The stream ${stream.name} is off: ${optionOf(stream.pathOption)} turns it on.`],
    ),
  ];
}

type Count = StreamMetric | StreamProperty;
export type StreamCounts = Readonly<Record<Count, number>>;

const COUNTS = Object.keys({ ...STREAM_METRICS, ...STREAM_PROPERTIES }) as Count[];

/**
 * Sums the metrics that the function emits for each stream (CloudWatch embedded metric format). Unlike the handler's
 * result, they include invocations that failed.
 */
export class MetricTally {
  readonly #streams = new Map<string, Record<Count, number>>();

  /** Takes a line of the function's log, with or without metrics. */
  add(line: string): void {
    const blob = line.includes('"_aws"') ? parse(line) : undefined;
    const stream = blob?.[DIMENSIONS.stream];
    if (!blob || typeof stream !== 'string') return;
    const counts = this.#streams.get(stream) ?? zeros();
    this.#streams.set(stream, counts);
    for (const name of COUNTS) counts[name] += Number(blob[name] ?? 0);
  }

  /** Zeros for a stream without metrics. */
  of(stream: string): StreamCounts {
    return this.#streams.get(stream) ?? zeros();
  }
}

function zeros(): Record<Count, number> {
  return Object.fromEntries(COUNTS.map(name => [name, 0])) as Record<Count, number>;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export interface Places {
  readonly delivered: string;
  readonly deadLetters: string;
  readonly log: string;
  /** Files that this run delivered. */
  readonly objects: number;
  /** The number of dead letters of this run. */
  readonly deadLetterCount: number;
}

/** The places of the output, relative to the working directory. */
export function placesText({ delivered, deadLetters, log, objects, deadLetterCount }: Places): string {
  const files = `${counted(objects, 'file')} by this run`;
  return [
    `Delivered events      ${here(delivered)} (${files})`,
    ...(deadLetterCount > 0 ? [`Dead letters          ${here(deadLetters)}`] : []),
    `Function's log        ${here(log)}`,
  ].join('\n');
}

/** Suggested commands after a complete run. */
export function nextSteps(request: StartRequest, { delivered }: Places): string {
  // Run by a shell, gzip ends silently when `head` closes the pipe.
  const look = `gzip -dc "$(find ${word(delivered)} -name '*.json.gz' | sort | tail -n 1)" | head -n 1`;
  const steps: readonly (readonly [command: string, what: string])[] = [
    [look, 'one event as the SIEM gets it'],
    [askStep(request), 'what was delivered, in SQL'],
    ...('baseUrl' in request.target ? TENANT_STEPS : embeddedSteps(request)),
  ];
  return `Try next\n${steps.map(([command, what]) => `  ${command}\n      ${what}`).join('\n')}`;
}

function askStep({ folder }: StartRequest): string {
  // Without a folder it reads `.local`, and so the files of every name.
  return folder === resolve('.local', 'local') ? 'npm run query' : `npm run query -- --folder ${word(folder)}`;
}

const TENANT_STEPS = [
  ['the same command', 'again: only what has changed is sent'],
  ['the same command with --reset', 'from the beginning, into empty folders'],
] as const;

function embeddedSteps({ name, folder, format, ocsfFields, selection }: StartRequest): [string, string][] {
  const given = [
    ...(name === 'local' ? [] : ['--name', name]),
    ...(dirname(folder) === resolve('.local') ? [] : ['--state-folder', word(dirname(folder))]),
    // Without it, the next run would be refused.
    ...(format === 'envelope' ? [] : ['--format', format]),
    // Without them, the next run would send the difference.
    ...(selection.filter ?? []).flatMap(each => ['--filter', shellWord(each)]),
    ...(selection.omit ?? []).flatMap(each => ['--omit', shellWord(each)]),
    ...(ocsfFields === undefined ? [] : ['--ocsf-fields', word(resolve(ocsfFields.file))]),
  ];
  const start = (...options: string[]) => ['npm start', ...cons('--', [...given, ...options])].join(' ');
  return [
    [start(), 'again: only what has changed is sent'],
    [start('--change', '50'), 'an asset is removed first: its tombstone, its threats withdrawn'],
    [start('--reset'), 'from the beginning'],
    ['npm start -- --help', 'a real tenant, and everything else'],
  ];
}

function cons(first: string, rest: readonly string[]): string[] {
  return rest.length === 0 ? [] : [first, ...rest];
}

function word(path: string): string {
  return shellWord(here(path));
}

function here(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short || '.';
}
/** A path as one word of a shell command, quoted if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
