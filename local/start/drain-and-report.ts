import { streamsOn } from '../../lambda/streams.ts';
import type { LocalAws } from '../aws/endpoints.ts';
import { drainUntilDone } from './drain-until-done.ts';
import { failureText } from './failure-text.ts';
import { functionEnvironment } from './function-environment.ts';
import { keepLog } from './function-log.ts';
import { HandlerHost } from './handler-host.ts';
import { onInterruption } from './interruption.ts';
import { MappingHits } from './mapping-hits.ts';
import { MetricTally } from './metric-tally.ts';
import { nextSteps, type Places, placesText } from './next-steps.ts';
import { type MonitoredStream, ProgressWatch } from './progress-watch.ts';
import type { StartRequest } from './start-request.ts';
import { logFile } from './state-folder.ts';
import { summaryNotes } from './summary-notes.ts';
import { summaryLegend, summaryTable } from './summary-table.ts';

type Settings = Readonly<Record<string, string>>;

interface Drained {
  readonly isDone: boolean;
  readonly wasInterrupted: boolean;
  readonly failure: unknown;
  readonly metrics: MetricTally;
  readonly watch: ProgressWatch;
  readonly hits: MappingHits | undefined;
  readonly milliseconds: number;
}

/** Runs the handler until every stream is drained, then tells what became of the rows. @returns the exit status. */
export async function drainAndReport(request: StartRequest, settings: Settings, aws: LocalAws): Promise<number> {
  const streams = streamsOf(settings);
  const drained = await drain(request, settings, streams, aws);
  const { metrics, watch, isDone, wasInterrupted, failure, milliseconds } = drained;
  const names = streams.map(each => each.name);
  const places = placesOf(request, aws, drained, names);
  const countsOf = (stream: string) => metrics.of(stream);
  const notes = [...summaryLegend(names, countsOf), ...summaryNotes(names, countsOf), ...(drained.hits?.text() ?? [])];
  const table = [summaryTable(names, countsOf), ...notes].join('\n');
  console.log(`\n${table}\n\n${placesText(places)}\n`);
  if (isDone) {
    console.log(`Drained in ${(milliseconds / 1000).toFixed(1)} s.\n\n${nextSteps(request, places)}`);
    return 0;
  }
  if (wasInterrupted) {
    console.error('Interrupted. What was saved stands, so nothing is lost; the next run goes on from there.');
    return 130;
  }
  console.error(failureText(failure, request.verbose));
  if (watch.trouble) console.error(`  Last seen on the network: ${watch.trouble}`);
  return 1;
}

async function drain(
  request: StartRequest,
  settings: Settings,
  streams: readonly MonitoredStream[],
  aws: LocalAws,
): Promise<Drained> {
  const start = performance.now();
  const metrics = new MetricTally();
  const hits = request.ocsfFields && new MappingHits(request.ocsfFields);
  const watch = await ProgressWatch.start(streams, aws.deliveredFolder, process.stdout, hits?.add);
  const inherited = 'baseUrl' in request.target ? process.env : {};
  const environment = functionEnvironment({ endpoints: aws.environment, settings, inherited });
  const host = new HandlerHost({ environment, onApi: watch.observe });
  const logged = keepLog(logFile(request.folder), host.output, line => metrics.add(line));
  const onFirst = () => {
    watch.note('stopping: the page at hand is finished and saved (again Ctrl-C: at once)');
    host.hurry();
  };
  using interruption = onInterruption({ onFirst, onFurther: () => void host.end() });
  let isDone = false;
  let failure: unknown;
  try {
    const invoke = () => host.invoke();
    const onLeaseHeld = () => watch.waitsFor('waiting for the lease of an earlier run, which was killed, to end');
    isDone = await drainUntilDone({ invoke, isStopped: () => interruption.interrupted, onLeaseHeld });
  } catch (error) {
    failure = error;
  }
  await host.end();
  await logged;
  await watch.stop();
  const milliseconds = performance.now() - start;
  return { isDone, wasInterrupted: interruption.interrupted, failure, metrics, watch, hits, milliseconds };
}

function streamsOf(settings: Settings): MonitoredStream[] {
  const base = settings['API_BASE_URL']!.trim().replace(/\/+$/, '');
  const on = streamsOn(({ pathSetting }) => settings[pathSetting]?.trim());
  return on.map(({ name, path }) => ({ name, url: base + path }));
}

function placesOf({ folder }: StartRequest, aws: LocalAws, { metrics, watch }: Drained, names: string[]): Places {
  return {
    delivered: aws.deliveredFolder,
    deadLetters: aws.deadLetterFolder,
    log: logFile(folder),
    objects: watch.objects,
    deadLetterCount: names.reduce((sum, name) => sum + metrics.of(name).DeadLetters, 0),
  };
}
