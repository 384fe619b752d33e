import { STREAMS, type Stream, type StreamName, type VersionedName } from '../../lambda/streams.ts';
import type { ApiSimulator } from './simulator.ts';

type Random = () => number;

/** Whether a stream has as many rows as it may. */
type IsFull = (name: StreamName) => boolean;

/** How often a change occurs relative to the others. */
type Change = readonly [weight: number, apply: (simulator: ApiSimulator, random: Random, isFull: IsFull) => void];

/** Share of additions that a full stream of immutable rows still gets, because it has no other changes. */
const ADDED_TO_FULL = 0.1;

const VERSIONED = STREAMS.filter(stream => stream.hasRowStates);

/** Random changes of the API simulator's data. */
const CHANGES: readonly Change[] = [
  ...VERSIONED.flatMap(stream =>
    'cascadesFrom' in stream ? childChanges(stream.name, stream.cascadesFrom) : rootChanges(stream),
  ),
  ...VERSIONED.filter(({ tombstones }) => tombstones).map(({ name }): Change => {
    const id = (simulator: ApiSimulator) => `short-lived-${simulator.tenantData.streams[name].ids.length}`;
    return [1, (simulator, _, isFull) => void (isFull(name) || simulator.tombstoneUnseen(name, id(simulator)))];
  }),
  ...STREAMS.flatMap((stream): Change[] =>
    stream.hasRowStates
      ? []
      : [
          [
            24,
            (simulator, random, isFull) => {
              if (isFull(stream.name) && random() >= ADDED_TO_FULL) return;
              const domain = `${Math.floor(random() * 2 ** 32).toString(16)}.bad.example`;
              simulator.put(stream.name, {
                id: `live-${stream.name}-${simulator.tenantData.streams[stream.name].ids.size}`,
                domain,
                action: 'blocked',
              });
            },
          ],
        ],
  ),
];

function rootChanges({ name, singular, tombstones }: Stream & { readonly name: VersionedName }): Change[] {
  const create = (simulator: ApiSimulator) => {
    simulator.put(name, {
      id: `live-${singular}-${simulator.tenantData.streams[name].ids.length}`,
      name: 'new',
      risk_score: 1.5,
    });
  };
  const change = (simulator: ApiSimulator, random: Random) => {
    const id = drawLive(simulator, random, name);
    if (id === undefined) create(simulator);
    else
      simulator.put(
        name,
        `{"id":${JSON.stringify(id)},"name":"changed","risk_score":${(random() * 100).toFixed(3)},"seen":9007199254740993}`,
      );
  };
  const isRemoved = (simulator: ApiSimulator) => (id: string) =>
    simulator.tenantData.streams[name].latest.get(id)?.deletedAt !== 0;
  const remove = (simulator: ApiSimulator, random: Random) =>
    withId(drawLive(simulator, random, name), id => simulator.remove(name, id));
  const restore = (simulator: ApiSimulator, random: Random) =>
    withId(drawId(simulator, random, name, isRemoved(simulator)), id => simulator.restore(name, id));
  // A full stream gets a removed row back instead. Otherwise removals would empty it in time.
  const add: Change[1] = (simulator, random, isFull) => (isFull(name) ? restore(simulator, random) : create(simulator));
  const removals: Change[] = tombstones
    ? [
        [3, remove],
        [2, restore],
      ]
    : [];
  return [[22, change], [8, add], ...removals, [4, redeliver(name)]];
}

function childChanges(name: VersionedName, parents: VersionedName): Change[] {
  const { singular } = STREAMS.find(each => each.name === name)!;
  const put = (simulator: ApiSimulator, random: Random, id: string, parent: string) =>
    simulator.put(name, { id, [simulator.settings.threatAssetMember]: parent, severity: 'high', score: random() });
  // The row keeps its parent. If it moved to one that is removed before the next poll, the API would show no trace of it.
  const change = (simulator: ApiSimulator, random: Random) =>
    withId(drawLive(simulator, random, name), id =>
      put(simulator, random, id, simulator.tenantData.streams[name].latest.get(id)!.parentId),
    );
  const add: Change[1] = (simulator, random, isFull) => {
    if (isFull(name)) return change(simulator, random);
    withId(drawLive(simulator, random, parents), parent =>
      put(simulator, random, `live-${singular}-${simulator.tenantData.streams[name].ids.length}`, parent),
    );
  };
  return [
    [18, add],
    [14, change],
    [4, redeliver(name)],
  ];
}

function redeliver(name: VersionedName): Change[1] {
  return (simulator, random) => withId(drawLive(simulator, random, name), id => simulator.redeliver(name, id));
}

function withId(id: string | undefined, act: (id: string) => void): void {
  if (id !== undefined) act(id);
}

/**
 * Applies one random change to the API simulator.
 *
 * @param most rows that a stream may ever have had, removed ones included; without it, any number
 */
export function randomChange(
  simulator: ApiSimulator,
  random: Random,
  most: Readonly<Partial<Record<StreamName, number>>> = {},
): void {
  const isFull: IsFull = name => countOf(simulator, name) >= (most[name] ?? Number.POSITIVE_INFINITY);
  const total = CHANGES.reduce((sum, [weight]) => sum + weight, 0);
  let mark = random() * total;
  for (const [weight, apply] of CHANGES) {
    mark -= weight;
    if (mark < 0) {
      apply(simulator, random, isFull);
      return;
    }
  }
}

function countOf({ tenantData }: ApiSimulator, name: StreamName): number {
  const { ids } = tenantData.streams[name];
  return 'size' in ids ? ids.size : ids.length;
}

function drawLive(simulator: ApiSimulator, random: Random, name: VersionedName): string | undefined {
  return drawId(simulator, random, name, id => simulator.tenantData.isLive(name, id));
}

/** An existing id for which `fits` holds, or undefined if a few draws find none. */
function drawId(
  simulator: ApiSimulator,
  random: Random,
  name: VersionedName,
  fits: (id: string) => boolean,
): string | undefined {
  const { ids } = simulator.tenantData.streams[name];
  for (let attempt = 0; attempt < 20 && ids.length > 0; attempt++) {
    const id = ids[Math.floor(random() * ids.length)]!;
    if (fits(id)) return id;
  }
  return undefined;
}

/** The rate of changes. */
export interface TrafficPace {
  /** Changes a second from now on. 0 stops them; when this returns, none is in progress. */
  setRate(rate: number): void;
}

const TICK = 100;

/** Spreads `rate` changes over each second, until the rate is 0. */
export function startTraffic(simulator: ApiSimulator, random: () => number, rate: number): TrafficPace {
  let timer: NodeJS.Timeout | undefined;
  const pace: TrafficPace = {
    setRate(changes) {
      clearInterval(timer);
      let due = 0;
      const tick = (): void => {
        for (due += (changes * TICK) / 1000; due >= 1; due--) randomChange(simulator, random);
      };
      timer = changes > 0 ? setInterval(tick, TICK) : undefined;
    },
  };
  pace.setRate(rate);
  return pace;
}
