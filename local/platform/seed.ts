import type { DnsBlocks } from './dns-blocks.ts';
import { createRandom } from './draw.ts';
import type { TenantData } from './estate.ts';

export interface SeedCounts {
  readonly assets: number;
  readonly threats: number;
  readonly dnsBlocks: number;
}

export interface SeedTarget {
  readonly tenantData: TenantData;
  readonly dnsBlocks: DnsBlocks;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly seed: number;
  readonly tieSize: number;
}

const DAY = 86_400_000;
const HISTORY = 90 * DAY;

/** Fills an empty platform with the past ninety days, a day ago at the latest. Contents are made when they are read. */
export function seedTenantData({ tenantData, dnsBlocks, now, seed, tieSize }: SeedTarget, counts: SeedCounts): void {
  const random = createRandom(seed);
  const start = Math.floor(now) - HISTORY - DAY;
  const time = (index: number, count: number): number => {
    const first = index - (index % Math.round(tieSize));
    return start + Math.floor((first / count) * HISTORY);
  };
  for (let index = 0; index < counts.assets; index++) {
    const at = time(index, counts.assets);
    const deletedAt = isRemoved(index) ? at : 0;
    const updatedAt = deletedAt || at - Math.floor(random() * 30 * DAY);
    tenantData.assets.deliver(assetId(index), { members: index, updatedAt, deletedAt }, at * 1000);
  }
  for (let index = 0; index < counts.threats && counts.assets > 0; index++) {
    const at = time(index, counts.threats);
    const id = `threat-${index}`;
    const owner = assetId(liveIndex(Math.floor(random() * counts.assets)));
    tenantData.assign(id, owner);
    const updatedAt = at - Math.floor(random() * 30 * DAY);
    tenantData.threats.deliver(id, { members: index, updatedAt, assetId: owner }, at * 1000);
  }
  for (let index = 0; index < counts.dnsBlocks; index++) {
    const blockedAt = time(index, counts.dnsBlocks);
    dnsBlocks.add({ seq: 0, id: dnsBlockId(index), blockedAt, blockedAtText: undefined, members: index });
  }
}

/** One asset in fifty is a tombstone. */
function isRemoved(index: number): boolean {
  return index % 50 === 49;
}

function liveIndex(index: number): number {
  return isRemoved(index) ? index - 1 : index;
}

/** Now and then an id that must be encoded in a path. */
function assetId(index: number): string {
  return index % 64 === 9 ? `büro/site ${index % 7}?#${index}` : `asset-${index}`;
}

function dnsBlockId(index: number): string {
  return `dns-${String(index).padStart(9, '0')}`;
}
