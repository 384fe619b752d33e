import type { StreamName, VersionedStreamName } from '../../lambda/streams.ts';
import type { ApiSimulator } from './simulator.ts';

/** A change and its weight, which says how often the change occurs compared with other changes. */
type Change = readonly [weight: number, apply: () => void];

/**
 * Share of additions that a full stream of immutable rows still gets. Without additions such a
 * stream would not change any more, because its rows are immutable.
 */
const ADDED_TO_FULL = 0.1;

/**
 * Applies one random change to the API simulator.
 *
 * @param most largest number of rows that a stream may ever have had, removed rows included; if
 * absent, the number of rows is not limited
 */
export function randomChange(
  simulator: ApiSimulator,
  random: () => number,
  most: Readonly<Partial<Record<StreamName, number>>> = {},
): void {
  const changes = possibleChanges(simulator, random, most);
  let mark = random() * changes.reduce((sum, [weight]) => sum + weight, 0);
  const chosen = changes.find(([weight]) => {
    mark -= weight;
    return mark < 0;
  });
  chosen?.[1]();
}

function possibleChanges(
  simulator: ApiSimulator,
  random: () => number,
  most: Readonly<Partial<Record<StreamName, number>>>,
): readonly Change[] {
  const { tenantData, settings } = simulator;
  const { assets, threats } = tenantData.streams;
  const isFull = (name: StreamName) => tenantData.count(name) >= (most[name] ?? Number.POSITIVE_INFINITY);
  const nextId = (kind: string, name: StreamName) => `${kind}-${tenantData.count(name)}`;

  /** Draws an existing id for which `fits` holds. Undefined if a few draws find no such id. */
  const draw = (name: VersionedStreamName, fits: (id: string) => boolean): string | undefined => {
    const { ids } = tenantData.streams[name];
    for (let attempt = 0; attempt < 20 && ids.length > 0; attempt++) {
      const id = ids[Math.floor(random() * ids.length)]!;
      if (fits(id)) return id;
    }
    return undefined;
  };
  const ofLive = (name: VersionedStreamName, act: (id: string) => void) => {
    const id = draw(name, each => tenantData.isLive(name, each));
    if (id !== undefined) act(id);
    return id;
  };

  const createAsset = () =>
    simulator.put('assets', { id: nextId('live-asset', 'assets'), name: 'new', risk_score: 1.5 });
  const changeAsset = () => {
    const changed = ofLive('assets', id => {
      const members = `"name":"changed","risk_score":${(random() * 100).toFixed(3)},"seen":9007199254740993`;
      simulator.put('assets', `{"id":${JSON.stringify(id)},${members}}`);
    });
    if (changed === undefined) createAsset();
  };
  const restoreAsset = () => {
    const id = draw('assets', each => assets.latest.get(each)?.deletedAt !== 0);
    if (id !== undefined) simulator.restore('assets', id);
  };
  const putThreat = (id: string, asset: string) =>
    simulator.put('threats', { id, [settings.threatAssetMember]: asset, severity: 'high', score: random() });
  // The threat keeps its asset. If the threat moved to an asset that is removed before the next
  // poll, the API would show no trace of the move.
  const changeThreat = () => ofLive('threats', id => putThreat(id, threats.latest.get(id)!.parentId));
  const addThreat = () => ofLive('assets', asset => putThreat(nextId('live-threat', 'threats'), asset));
  const addBlock = () => {
    if (isFull('dns-blocks') && random() >= ADDED_TO_FULL) return;
    const domain = `${Math.floor(random() * 2 ** 32).toString(16)}.bad.example`;
    simulator.put('dns-blocks', { id: nextId('live-dns-blocks', 'dns-blocks'), domain, action: 'blocked' });
  };

  return [
    [22, changeAsset],
    // In a full stream a removed row is restored instead, because removals would otherwise empty
    // the stream in time.
    [8, isFull('assets') ? restoreAsset : createAsset],
    [3, () => ofLive('assets', id => simulator.remove('assets', id))],
    [2, restoreAsset],
    [4, () => ofLive('assets', id => simulator.redeliver('assets', id))],
    [18, isFull('threats') ? changeThreat : addThreat],
    [14, changeThreat],
    [4, () => ofLive('threats', id => simulator.redeliver('threats', id))],
    [1, () => isFull('assets') || simulator.tombstoneUnseen('assets', nextId('short-lived', 'assets'))],
    [24, addBlock],
  ];
}

/** Control of the number of changes per second. */
export interface TrafficPace {
  /**
   * Sets the number of changes per second from now on. 0 stops the changes, and no change is in
   * progress when the method returns.
   */
  setRate(rate: number): void;
}

const TICK = 100;

/** Spreads changes evenly over each second. There are no changes until a rate is set. */
export function createTraffic(simulator: ApiSimulator, random: () => number): TrafficPace {
  let timer: NodeJS.Timeout | undefined;
  return {
    setRate(rate) {
      clearInterval(timer);
      let due = 0;
      const tick = (): void => {
        for (due += (rate * TICK) / 1000; due >= 1; due--) randomChange(simulator, random);
      };
      timer = rate > 0 ? setInterval(tick, TICK) : undefined;
    },
  };
}
