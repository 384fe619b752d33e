import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { INCIDENT_GROUPS, incidentNamed } from './buttons.ts';
import { distances, type Rows, type StreamDistance } from './distance.ts';
import { documentedAlarms } from './documented-alarms.ts';
import { explainRow, type RowExplanation } from './explain.ts';
import { DataHistory } from './history.ts';
import { pacedTime } from './paced-time.ts';
import { RunningStack } from './running-stack.ts';
import { keyOf } from './siem.ts';
import type { SynthesizedStack } from './synthesize-thread.ts';
import { synthesizeStack } from './template.ts';
import { type ButtonView, buttonView, dashboardView, type View, viewOf, type WidgetView } from './view.ts';

const MINUTE = 60_000;
const CONFIGURATION = {
  name: 'acme',
  baseUrl: 'https://api.acme.example',
  authUrl: 'https://auth.acme.example/realms/acme',
  dnsBlocksPath: '/v1/dns-blocks',
  dashboard: true,
  alarmEmail: 'on-call@acme.example',
};
const ROWS = { assets: 250, threats: 350, dnsBlocks: 400 };
/** So that it may run for days. */
const MOST_ROWS = { assets: 400, threats: 600, 'dns-blocks': 800 };
/** Alarms on silence need the past half hour, and the dashboard shows more. */
const WARM_UP_MINUTES = 60;
const WARM_UP_MINUTE_TAKES = 20;
/** Minutes of which the distance is shown. */
const DISTANCES_KEPT = 180;
/** Milliseconds of this machine between two looks at all rows, besides those at the ends of pauses. */
const LOOK_EVERY = 200;

export interface DemoOptions {
  /** Milliseconds of this machine that a minute of the schedule takes. */
  readonly minuteTakes: number;
  /** Random changes of the data a minute, on average. */
  readonly changes: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** Minutes of the schedule that pass at once before the page is served. @default 60 */
  readonly warmUpMinutes?: number;
  /** @default the one of the demo's configuration */
  readonly stack?: SynthesizedStack;
  /** Address of docs/runbook.md, to which alarms link. */
  readonly runbookUrl: string;
  /** Called with an error of this machine's files, such as a full disk. */
  readonly onFailure?: (error: unknown) => void;
}

/** What the server of the page needs. */
export interface Demo extends AsyncDisposable {
  readonly stack: RunningStack;
  /** The newest view. */
  readonly view: View;
  /** Called with each new view until the returned function is. */
  listen(listener: (view: View) => void): () => void;
  readonly groups: readonly { readonly title: string; readonly buttons: readonly ButtonView[] }[];
  dashboard(): WidgetView[];
  /** @returns undefined for an unknown row */
  explain(stream: string, id: string): Promise<RowExplanation | undefined>;
  /** @throws RangeError for an unknown incident */
  cause(name: string): Promise<void>;
  repair(): Promise<void>;
  setPace(minuteTakes: number): void;
}

export function demoStack(runbookUrl: string): Promise<SynthesizedStack> {
  return synthesizeStack({ ...CONFIGURATION, runbookUrl });
}

export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { minuteTakes, changes, seed, say, onFailure, warmUpMinutes = WARM_UP_MINUTES } = options;
  say('Synthesizing the stack …');
  const synthesized = options.stack ?? (await demoStack(options.runbookUrl));
  const start = Math.floor(Date.now() / MINUTE) * MINUTE;
  const time = pacedTime({ start, minuteTakes: Math.min(minuteTakes, WARM_UP_MINUTE_TAKES) });
  const watch = createWatch();
  const onMinute = (each: RunningStack): Promise<void> => watch.look(each);
  const stack = await RunningStack.start({
    stack: synthesized,
    time,
    rows: ROWS,
    mostRows: MOST_ROWS,
    changes,
    seed,
    onMinute,
    onFailure,
  });
  say(`Running the first ${warmUpMinutes} minutes of the schedule …`);
  await stack.pass(warmUpMinutes);
  time.minuteTakes = minuteTakes;
  const documented = documentedAlarms();
  stack.run();
  return {
    stack,
    get view() {
      return watch.view;
    },
    listen: watch.listen,
    groups: INCIDENT_GROUPS.map(({ title, incidents }) => ({
      title,
      buttons: incidents.map(each => buttonView(each, documented)),
    })),
    dashboard: () => dashboardView(stack),
    explain: (stream, id) => explain(stack, watch.history(), watch.distances(), stream, id),
    async cause(name) {
      const incident = incidentNamed(name);
      if (!incident) throw new RangeError(`No incident is named ${name}.`);
      await stack.cause(incident);
    },
    repair: () => stack.repair(),
    setPace(milliseconds) {
      time.minuteTakes = milliseconds;
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** Looks at data and copy at the end of a minute, and reports what they are. */
function createWatch() {
  const documented = documentedAlarms();
  const listeners = new Set<(view: View) => void>();
  let history: DataHistory | undefined;
  let found: ReadonlyMap<string, StreamDistance> = new Map();
  const since = new Map<string, number>();
  let series: number[] = [];
  let view: View | undefined;
  let looked = Number.NEGATIVE_INFINITY;

  const look = async (stack: RunningStack): Promise<void> => {
    if (!stack.isPauseOver && performance.now() - looked < LOOK_EVERY && stack.time.minuteTakes < LOOK_EVERY) return;
    looked = performance.now();
    const now = stack.time.clock.now();
    const rows = stack.scene.simulator.truth('none') as unknown as Rows;
    history ??= new DataHistory(rows);
    history.look(rows, now);
    found = distances(rows, stack.siem.copy.values());
    const oldest = oldestDifferences(found, since, now);
    series = [...series, total(found)].slice(-DISTANCES_KEPT);
    const saved = await stack.savedState();
    view = viewOf({ stack, history, distances: found, oldest, series, saved, documented });
    for (const listener of listeners) listener(view);
  };
  return {
    look,
    get view(): View {
      if (!view) throw new Error('No minute has passed yet.');
      return view;
    },
    history: () => history!,
    distances: () => found,
    listen(listener: (each: View) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function total(found: ReadonlyMap<string, StreamDistance>): number {
  return [...found.values()].reduce((sum, { differences }) => sum + differences.size, 0);
}

/** Since when each difference has been there, by row; changed in place. @returns by stream the oldest */
export function oldestDifferences(
  found: ReadonlyMap<string, StreamDistance>,
  since: Map<string, number>,
  now: number,
): Map<string, number> {
  const present = new Set<string>();
  const oldest = new Map<string, number>();
  for (const [stream, { differences }] of found) {
    for (const id of differences.keys()) {
      const key = keyOf(stream, id);
      present.add(key);
      const began = since.get(key) ?? now;
      since.set(key, began);
      oldest.set(stream, Math.min(oldest.get(stream) ?? now, began));
    }
  }
  for (const key of since.keys()) if (!present.has(key)) since.delete(key);
  return oldest;
}

async function explain(
  stack: RunningStack,
  history: DataHistory,
  found: ReadonlyMap<string, StreamDistance>,
  stream: string,
  id: string,
): Promise<RowExplanation | undefined> {
  const known = STREAMS.find(({ name }) => name === stream);
  if (!known) return undefined;
  const state = known.hasRowStates ? await stack.rowState(known.name as StreamName, id) : undefined;
  return explainRow({
    stream,
    id,
    versions: history.versionsOf(stream, id),
    events: stack.siem.eventsOf(stream, id),
    hasRowStates: known.hasRowStates,
    state,
    difference: found.get(stream)?.differences.get(id),
  });
}
