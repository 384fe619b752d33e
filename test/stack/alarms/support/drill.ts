import { compositeAlarmMembers } from '../../../../local/alarms/alarm-definitions.ts';
import { type AlarmWatch, watchAlarms } from '../../../../local/alarms/watch-alarms.ts';
import type { Incident } from '../../../../local/incidents/incident.ts';
import { Scene } from '../../../../local/incidents/scene.ts';
import { templateWith } from '../../shared-template.ts';

export interface DrillResult {
  readonly incident: Incident;
  /** By alarm, in the order in which they fired, minutes from the incident's begin. */
  readonly fired: ReadonlyMap<string, number>;
  /** The same for the composite alarms, which notify. */
  readonly notified: ReadonlyMap<string, number>;
  /** Alarms still in alarm an hour and a half after the end. */
  readonly stuck: readonly string[];
  /** Whether the runs after the end succeeded. */
  readonly recovered: boolean;
}

/** A healthy connector with DNS blocks on, at the default schedule. */
export const CONFIGURATION = { dnsBlocksPath: '/v1/dns-blocks' };

const ROWS = { assets: 40, threats: 40, dnsBlocks: 40 };
/** Minutes of health before and after. The metrics of one quiet run are repeated for each. */
const BEFORE = 60;
const AFTER = 90;
/** A token holds the roles of the time when it was issued, and expires after this. */
const TOKEN_MINUTES = 5;

export async function drill(incident: Incident): Promise<DrillResult> {
  const { configuration, environment, simulator } = incident;
  const template = await templateWith({ ...CONFIGURATION, ...configuration });
  await using scene = await Scene.open({ template, simulator, environment });
  scene.simulator.populate(ROWS);
  await catchUp(scene);
  scene.begin();
  await stayQuiet(scene, -BEFORE, 0);
  await endure(incident, scene);
  const end = scene.minute;
  incident.end?.(scene);
  const recovered = await catchUp(scene);
  await stayQuiet(scene, scene.minute, end + AFTER);
  const alarms = observed(watchAlarms(template, scene.metrics), end, end + AFTER);
  const notified = [...compositeAlarmMembers(template)].flatMap(([name, members]) => {
    const minutes = members.flatMap(member => alarms.fired.get(member) ?? []);
    return minutes.length > 0 ? [[name, Math.min(...minutes)] as const] : [];
  });
  return { incident, ...alarms, notified: new Map(notified), recovered };
}

async function endure({ begin, eachMinute, minutes }: Incident, scene: Scene): Promise<void> {
  begin?.(scene);
  while (scene.minute < minutes) {
    const run = () => scene.run();
    await (eachMinute ? eachMinute(scene, run, scene.minute) : run());
    await scene.nextMinute();
  }
}

/**
 * Runs until one has caught up with every stream.
 *
 * @returns false when none has, although every old token has expired
 */
async function catchUp(scene: Scene): Promise<boolean> {
  for (let minute = 0; minute < TOKEN_MINUTES + 2; minute++) {
    const blobs = await scene.run();
    await scene.nextMinute();
    const { StreamsFailed: failed, StreamsBehind: behind } = blobs.at(-1)?.values ?? {};
    if (minute > 0 && failed === 0 && behind === 0) return true;
  }
  return false;
}

/** The metrics of one quiet run, in each minute from `from` on and before `to`. */
async function stayQuiet(scene: Scene, from: number, to: number): Promise<void> {
  const blobs = await scene.run();
  for (let minute = from; minute < to; minute++) {
    scene.metrics.addEmf(blobs, minute);
    scene.reports.ran({ began: minute, ended: minute }, false);
  }
}

/** @param end minute in which the incident was ended */
function observed(watch: AlarmWatch, end: number, last: number) {
  const fired = new Map<string, number>();
  for (let minute = -1; minute < last; minute++) {
    for (const { name, state } of watch.evaluate(minute)) {
      if (state === 'ALARM' && minute < end && !fired.has(name)) fired.set(name, minute + 1);
    }
  }
  const stuck = watch.alarms.flatMap(({ name, state }) => (state === 'ALARM' ? [name] : []));
  return { fired, stuck };
}
