import type { Platform } from './platform.ts';

/** Random changes of the platform's data, and how often each occurs relative to the others. */
const CHANGES: readonly (readonly [weight: number, apply: (platform: Platform, random: () => number) => void])[] = [
  [22, changeAsset],
  [8, platform => platform.putAsset(newAsset(platform))],
  [3, removeAsset],
  [2, restoreAsset],
  [4, (platform, random) => redeliver(platform, random, 'assets')],
  [18, addThreat],
  [14, changeThreat],
  [4, (platform, random) => redeliver(platform, random, 'threats')],
  [1, platform => platform.tombstoneUnseen(`short-lived-${platform.tenantData.assets.ids.length}`)],
  [24, addDnsBlock],
];

/** Applies one random change to the platform. */
export function randomChange(platform: Platform, random: () => number): void {
  const total = CHANGES.reduce((sum, [weight]) => sum + weight, 0);
  let mark = random() * total;
  for (const [weight, apply] of CHANGES) {
    mark -= weight;
    if (mark < 0) {
      apply(platform, random);
      return;
    }
  }
}

type Kind = 'assets' | 'threats';

/** An existing id for which `fits` holds, or undefined if a few draws find none. */
function drawId(
  platform: Platform,
  random: () => number,
  kind: Kind,
  fits: (id: string) => boolean,
): string | undefined {
  const { ids } = platform.tenantData[kind];
  for (let attempt = 0; attempt < 20 && ids.length > 0; attempt++) {
    const id = ids[Math.floor(random() * ids.length)]!;
    if (fits(id)) return id;
  }
  return undefined;
}

function isLive(platform: Platform, kind: Kind): (id: string) => boolean {
  const { assets, threats } = platform.tenantData;
  if (kind === 'assets') return id => assets.latest.get(id)?.deletedAt === 0;
  return id => !platform.tenantData.isHidden(threats.latest.get(id)!);
}

function newAsset(platform: Platform): string {
  return JSON.stringify({
    id: `live-asset-${platform.tenantData.assets.ids.length}`,
    name: 'new host',
    risk_score: 1.5,
  });
}

function changeAsset(platform: Platform, random: () => number): void {
  const id = drawId(platform, random, 'assets', isLive(platform, 'assets'));
  if (id === undefined) platform.putAsset(newAsset(platform));
  else
    platform.putAsset(
      `{"id":${JSON.stringify(id)},"name":"changed host","risk_score":${(random() * 100).toFixed(3)},"seen":9007199254740993}`,
    );
}

function removeAsset(platform: Platform, random: () => number): void {
  const id = drawId(platform, random, 'assets', isLive(platform, 'assets'));
  if (id !== undefined) platform.removeAsset(id);
}

function restoreAsset(platform: Platform, random: () => number): void {
  const isRemoved = (id: string): boolean => platform.tenantData.assets.latest.get(id)?.deletedAt !== 0;
  const id = drawId(platform, random, 'assets', isRemoved);
  if (id !== undefined) platform.restoreAsset(id);
}

function redeliver(platform: Platform, random: () => number, kind: Kind): void {
  const id = drawId(platform, random, kind, isLive(platform, kind));
  if (id !== undefined) platform.redeliver(kind, id);
}

function addThreat(platform: Platform, random: () => number): void {
  const asset = drawId(platform, random, 'assets', isLive(platform, 'assets'));
  if (asset === undefined) return;
  const id = `live-threat-${platform.tenantData.threats.ids.length}`;
  putThreat(platform, { id, asset, score: random() });
}

/** The threat keeps its asset. If it moved to an asset that is removed before the next poll, the API would show no trace of it. */
function changeThreat(platform: Platform, random: () => number): void {
  const id = drawId(platform, random, 'threats', isLive(platform, 'threats'));
  if (id === undefined) return;
  putThreat(platform, { id, asset: platform.tenantData.threats.latest.get(id)!.assetId, score: random() });
}

function putThreat(platform: Platform, { id, asset, score }: { id: string; asset: string; score: number }): void {
  platform.putThreat({ id, [platform.settings.threatAssetMember]: asset, severity: 'high', score });
}

function addDnsBlock(platform: Platform, random: () => number): void {
  const domain = `${Math.floor(random() * 2 ** 32).toString(16)}.bad.example`;
  platform.putDnsBlock({ id: `live-dns-${platform.dnsBlocks.ids.size}`, domain, action: 'blocked' });
}

/** The rate of changes. */
export interface TrafficPace {
  /** Changes a second from now on. 0 stops them; when this returns, none is in progress. */
  setRate(rate: number): void;
}

const TICK = 100;

/** Spreads `rate` changes over each second, until the rate is 0. */
export function startTraffic(platform: Platform, random: () => number, rate: number): TrafficPace {
  let timer: NodeJS.Timeout | undefined;
  const pace: TrafficPace = {
    setRate(changes) {
      clearInterval(timer);
      let due = 0;
      const tick = (): void => {
        for (due += (changes * TICK) / 1000; due >= 1; due--) randomChange(platform, random);
      };
      timer = changes > 0 ? setInterval(tick, TICK) : undefined;
    },
  };
  pace.setRate(rate);
  return pace;
}
