/** What the page shows, as JSON. Everything in it is read from the running stack. */
import { DIMENSIONS, METRIC_NAMESPACE } from '../../lambda/metrics.ts';
import { type Points, pointsOf, type Widget } from '../alarms/dashboard.ts';
import { seriesKey } from '../alarms/time-series.ts';
import type { Incident } from '../incidents/incident.ts';
import type { EndedRun } from '../incidents/scene.ts';
import type { StreamDistance } from './distance.ts';
import type { DocumentedAlarms } from './documented-alarms.ts';
import type { DataHistory } from './history.ts';
import type { RunningStack } from './running-stack.ts';

export interface StreamView {
  readonly name: string;
  /** Rows that the API has now, and that the SIEM has. */
  readonly rows: number;
  readonly held: number;
  readonly missing: number;
  readonly different: number;
  readonly extra: number;
  /** Seconds since the oldest difference appeared; 0 without one. */
  readonly lagSeconds: number;
  /** More rows differ, or for longer, than delivery explains. */
  readonly isBehind: boolean;
  /** State after the last run. `behind` replaces `caught up` while the copy is behind. */
  readonly condition: 'caught up' | 'behind' | 'more to read' | 'failed' | 'not run';
  readonly error: string | undefined;
  /** Sums of the last hour, by metric. */
  readonly hour: Readonly<Record<string, number>>;
  readonly window: number;
  readonly hasCursor: boolean;
}

export interface RunView {
  readonly began: number;
  readonly seconds: number;
  readonly outcome: 'ok' | 'more to read' | 'failed' | 'lease held';
  readonly error: string | undefined;
}

export interface AlarmView {
  readonly name: string;
  readonly severity: string;
  readonly state: string;
  readonly sinceMinutes: number;
  readonly section: string;
  readonly description: string;
}

export interface IncidentView {
  readonly name: string;
  /** Duration in minutes, so far or in total. */
  readonly minutes: number;
  readonly isRepaired: boolean;
  readonly alarms: readonly {
    readonly name: string;
    /** Minutes until it fired in the demo. Null until then. */
    readonly fired: number | null;
    /** Minutes according to docs/testing.md. Null for other alarms. */
    readonly documented: number | null;
  }[];
}

export interface View {
  readonly connector: string;
  readonly now: number;
  readonly minute: number;
  readonly minuteTakes: number;
  readonly scheduled: boolean;
  readonly running: number;
  readonly streams: readonly StreamView[];
  readonly changes: readonly {
    readonly stream: string;
    readonly id: string;
    readonly change: string;
    readonly at: number;
  }[];
  readonly runs: readonly RunView[];
  readonly calls: RunningStack['calls'];
  readonly lease: { readonly epoch: number; readonly held: boolean; readonly clean: boolean } | null;
  readonly siem: {
    readonly reading: boolean;
    readonly waiting: number;
    readonly oldestSeconds: number;
    readonly events: number;
    readonly repeats: number;
  };
  readonly distance: number;
  /** By minute, oldest first. */
  readonly distances: readonly number[];
  readonly alarms: readonly AlarmView[];
  readonly incident: IncidentView | null;
}

const RUNS_SHOWN = 30;
/** Firehose and the SIEM's queue take a minute or two. */
const MOST_LAG_SECONDS = 300;
const MOST_DIFFERENCES = 50;
const HOUR_FIGURES = [
  'PagesRead',
  'RowsRead',
  'EventsForwarded',
  'Duplicates',
  'UnknownTombstones',
  'ThreatsWithdrawn',
  'DeadLetters',
] as const;

export interface ViewParts {
  readonly stack: RunningStack;
  readonly history: DataHistory;
  readonly distances: ReadonlyMap<string, StreamDistance>;
  readonly oldest: ReadonlyMap<string, number>;
  readonly series: readonly number[];
  readonly saved: Awaited<ReturnType<RunningStack['savedState']>>;
  readonly documented: DocumentedAlarms;
}

export function viewOf(parts: ViewParts): View {
  const { stack, history, series, saved } = parts;
  const now = stack.time.clock.now();
  return {
    connector: stack.connector,
    now,
    minute: stack.minute,
    minuteTakes: stack.time.minuteTakes,
    scheduled: stack.scheduled,
    running: stack.scene.running,
    streams: stack.streams.map(({ name }) => streamView(name, now, parts)),
    changes: history.changes.map(({ stream, id, change, at }) => ({ stream, id, change, at })),
    runs: stack.runs.slice(0, RUNS_SHOWN).map(runView),
    calls: stack.calls,
    lease: saved.lease ?? null,
    siem: {
      reading: stack.siem.reading,
      waiting: stack.siem.waiting(),
      oldestSeconds: stack.siem.oldestSeconds(now) ?? 0,
      events: stack.siem.counts.events,
      repeats: stack.siem.counts.repeats,
    },
    distance: series.at(-1) ?? 0,
    distances: series,
    alarms: stack.alarms.alarms.map(({ name, severity, state, since, section, description }) => {
      return { name, severity, state, sinceMinutes: stack.minute - since, section, description };
    }),
    incident: incidentView(stack, parts.documented),
  };
}

function streamView(name: StreamView['name'], now: number, parts: ViewParts): StreamView {
  const { stack, distances, oldest, saved } = parts;
  const { rows = 0, held = 0, differences = new Map<string, string>() } = distances.get(name) ?? {};
  const counts = { missing: 0, different: 0, extra: 0 };
  for (const difference of differences.values()) counts[difference as keyof typeof counts] += 1;
  const state = [...saved.streams].find(([stream]) => stream === name)?.[1];
  const checkpoint = state && !(state instanceof Error) ? state.checkpoint : undefined;
  const lagSeconds = Math.round((now - (oldest.get(name) ?? now)) / 1000);
  const isBehind = differences.size > MOST_DIFFERENCES || lagSeconds > MOST_LAG_SECONDS;
  return {
    name,
    rows,
    held,
    ...counts,
    lagSeconds,
    isBehind,
    ...conditionOf(name, stack.runs, isBehind),
    hour: Object.fromEntries(HOUR_FIGURES.map(metric => [metric, sumOfHour(stack, name, metric)])),
    window: checkpoint?.window.length ?? 0,
    hasCursor: checkpoint?.cursor !== undefined,
  };
}

function sumOfHour({ scene, connector, minute }: RunningStack, stream: string, metric: string): number {
  const dimensions = { [DIMENSIONS.connector]: connector, [DIMENSIONS.stream]: stream };
  const key = seriesKey({ namespace: METRIC_NAMESPACE, metric, dimensions });
  return scene.logged.between(key, minute - 59, minute + 1).reduce((sum, value) => sum + value, 0);
}

/** According to the last finished run that had the lease. A longer run may be in progress. */
function conditionOf(
  stream: string,
  runs: readonly EndedRun[],
  isBehind: boolean,
): Pick<StreamView, 'condition' | 'error'> {
  const caughtUp = isBehind ? 'behind' : 'caught up';
  const run = runs.find(({ result }) => result?.leaseHeld !== true);
  if (!run) return { condition: 'not run', error: undefined };
  if (run.error !== undefined) {
    const failures = (run.error as { streams?: ReadonlyMap<string, Error> }).streams;
    const failure = failures ? failures.get(stream) : (run.error as Error);
    if (failure) return { condition: 'failed', error: `${failure.name}: ${failure.message}` };
    return { condition: caughtUp, error: undefined };
  }
  const result = run.result?.streams[stream];
  if (!result) return { condition: 'not run', error: undefined };
  return { condition: result.caughtUp ? caughtUp : 'more to read', error: undefined };
}

function runView({ began, ended, result, error }: EndedRun): RunView {
  const seconds = Math.round((ended - began) / 100) / 10;
  if (error !== undefined) {
    return { began, seconds, outcome: 'failed', error: error instanceof Error ? error.message : String(error) };
  }
  const outcome = result?.leaseHeld ? 'lease held' : result?.more ? 'more to read' : 'ok';
  return { began, seconds, outcome, error: undefined };
}

function incidentView({ incident: current, minute }: RunningStack, documented: DocumentedAlarms): IncidentView | null {
  if (!current) return null;
  const { incident, began, repaired, fired } = current;
  const expected = documented.get(incident.name) ?? new Map<string, number>();
  const names = [...new Set([...expected.keys(), ...incident.alarms, ...fired.keys()])];
  return {
    name: incident.name,
    minutes: Math.max(0, (repaired ?? minute + 1) - began),
    isRepaired: repaired !== undefined,
    alarms: names.map(name => ({
      name,
      fired: fired.get(name) ?? null,
      documented: expected.get(name) ?? null,
    })),
  };
}

/** Text of a button of the page. */
export interface ButtonView {
  readonly name: string;
  readonly caused: string;
  readonly alarms: readonly string[];
  /** Minutes until all of its alarms have fired, or until it is over, according to docs/testing.md. */
  readonly minutes: number;
}

export function buttonView({ name, caused, alarms, minutes }: Incident, documented: DocumentedAlarms): ButtonView {
  const times = [...(documented.get(name)?.values() ?? [])];
  return { name, caused, alarms, minutes: times.length > 0 ? Math.max(...times) : minutes };
}

/** A widget with its points. */
export interface WidgetView {
  readonly widget: Widget;
  /** Points, one list for each line. */
  readonly points: readonly Points[];
  /** Milliseconds since 1970 of each point. */
  readonly times: readonly number[];
}

const DASHBOARD_MINUTES = 180;

export function dashboardView({ widgets, scene, minute, time }: RunningStack): WidgetView[] {
  const origin = Math.floor(time.clock.now() / 60_000) * 60_000 - minute * 60_000;
  const span = { from: minute + 1 - DASHBOARD_MINUTES, to: minute + 1 };
  return widgets.map(widget => {
    if (widget.type !== 'metric') return { widget, points: [], times: [] };

    const points = widget.lines.map(line => pointsOf(line, scene.metrics, span));
    const period = widget.lines[0]!.periodMinutes;
    const first = Math.floor(span.from / period);
    const times = (points[0] ?? []).map((_, index) => origin + (first + index) * period * 60_000);
    return { widget, points, times };
  });
}
