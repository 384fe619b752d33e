/** The data of the page, as JSON. */
import { STREAMS } from '../../lambda/streams.ts';
import type { WatchedAlarm } from '../alarms/watch-alarms.ts';
import type { Incident } from '../incidents/incident.ts';
import type { EndedRun } from '../incidents/scene.ts';
import type { CopyDistance, SiemCopy } from './copy.ts';

/** One way from the API to a SIEM, as the page shows it. */
export interface LaneView {
  /** Sums of the last hour. */
  readonly events: number;
  readonly duplicates: number;
  readonly repeats: number;
  readonly bytes: number;
  /** Rows in the SIEM that the API does not have any more. */
  readonly ghosts: number;
  /** Rows that the SIEM lacks, or has in an older version. */
  readonly stale: number;
  /** Ghosts and stale rows at the end of each minute of the last hour, oldest first. */
  readonly wrong: readonly number[];
  readonly problem: string | undefined;
}

export interface StreamView {
  readonly name: string;
  readonly rows: number;
  /** State of the stream after the last run. */
  readonly state: 'caught up' | 'more to read' | 'failed' | 'not run';
}

export interface AlarmView {
  readonly name: string;
  readonly severity: string;
  readonly state: string;
  readonly description: string;
}

export interface IncidentView {
  readonly name: string;
  /** Duration in minutes, so far or in total. */
  readonly minutes: number;
  readonly isRepaired: boolean;
  /**
   * For each alarm, the minutes until it fired, or null if it has not fired. Alarms that were not
   * expected come last.
   */
  readonly alarms: readonly { readonly name: string; readonly fired: number | null }[];
}

export interface DemoView {
  /** Current time in milliseconds since 1970. */
  readonly now: number;
  readonly minute: number;
  readonly minuteTakes: number;
  /** Rows that changed at the API in the last hour. */
  readonly changes: number;
  readonly streams: readonly StreamView[];
  readonly connector: LaneView;
  readonly script: LaneView;
  readonly alarms: readonly AlarmView[];
  readonly incident: IncidentView | null;
}

/** An incident that a visitor of the page has caused. */
export interface CausedIncident {
  readonly incident: Incident;
  /** Number of the first minute of the incident, which may be the next minute. */
  readonly began: number;
  /** Number of the minute in which the incident was ended. Undefined while it lasts. */
  readonly repaired: number | undefined;
  /** For each alarm, the minutes until it fired, counted as in docs/testing.md. */
  readonly fired: ReadonlyMap<string, number>;
}

export function laneView(copy: SiemCopy, distances: readonly CopyDistance[], problem: string | undefined): LaneView {
  const { ghosts, stale } = distances.at(-1) ?? { ghosts: 0, stale: 0 };
  return { ...copy.hour, ghosts, stale, wrong: distances.map(each => each.ghosts + each.stale), problem };
}

export function streamViews(run: EndedRun | undefined, rows: (stream: string) => number): StreamView[] {
  return STREAMS.map(({ name }) => ({ name, rows: rows(name), state: stateOf(run, name) }));
}

function stateOf(run: EndedRun | undefined, stream: string): StreamView['state'] {
  const failures = failuresOf(run);
  const result = run?.result?.streams[stream];
  if (failures ? failures.has(stream) : run?.error !== undefined) return 'failed';
  if (failures) return 'caught up';
  if (!result) return 'not run';
  return result.caughtUp ? 'caught up' : 'more to read';
}

/** Returns the text of the first error of a run. */
export function problemOf(run: EndedRun | undefined): string | undefined {
  const error = [...(failuresOf(run)?.values() ?? [])][0] ?? run?.error;
  return error === undefined ? undefined : `${(error as Error).name}: ${(error as Error).message}`;
}

function failuresOf(run: EndedRun | undefined): ReadonlyMap<string, Error> | undefined {
  return (run?.error as { streams?: ReadonlyMap<string, Error> } | undefined)?.streams;
}

export function incidentView(caused: CausedIncident | undefined, minute: number): IncidentView | null {
  if (!caused) return null;
  const { incident, began, repaired, fired } = caused;
  const names = [...new Set([...incident.alarms, ...fired.keys()])];
  return {
    name: incident.name,
    minutes: Math.max(0, (repaired ?? minute) - began),
    isRepaired: repaired !== undefined,
    alarms: names.map(name => ({ name, fired: fired.get(name) ?? null })),
  };
}

/** An alarm with the sentences about its effect, without the first command and the runbook. */
export function alarmView({ name, severity, state, description }: WatchedAlarm): AlarmView {
  return { name, severity, state, description: description.replace(/ First run ".*$/, '') };
}
