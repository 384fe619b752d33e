/** Applies a history's changes to the platform; those that make no sense at the moment do nothing. */
import type { Platform } from '../../../local/platform/platform.ts';
import type { Change, History } from '../history.ts';

/** Contents that differ in what careless handling of JSON would lose. */
const CONTENTS = [
  '"n":1,"__proto__":{"deep":[9007199254740993,{"b":1,"a":2}]}',
  '"n":1.0,"":"empty \\u2028 \\ud83d\\ude00","constructor":null',
  '"n":-0,"big":9007199254740993,"exponent":1e400',
  '"n":0,"big":9007199254740992,"exponent":1e401',
];

/** By content a word that only its rows contain, in whatever layout. */
export const MARKS = ['__proto__', 'constructor', '1e400', '1e401'] as const;

/** Only the content distinguishes two versions here: the time of the change must not. */
const UPDATED_AT = '"updated_at":"2026-01-01T00:00:00.000Z"';

type Bulk = Extract<
  Change,
  { readonly kind: 'assets' | 'threats' | 'spread' | 'remove-many' | 'restore-many' | 'move-many' }
>;
export type PlatformChange = Exclude<Change, { readonly kind: 'forget-cursors' } | Bulk>;

/** Most threats that `spread` gives one asset. */
export const MOST_THREATS = 5;

/** Number of an asset's threat when `spread` gave it. */
export function threatOf(asset: number, index = 0): number {
  return asset * MOST_THREATS + index;
}

/** @returns the changes of single rows that a change of many is */
export function single(change: Exclude<Change, { readonly kind: 'forget-cursors' }>): PlatformChange[] {
  const each = <T>(length: number, of: (index: number) => T) => Array.from({ length }, (_, index) => of(index));
  switch (change.kind) {
    case 'assets':
      return each(change.count, asset => ({ kind: 'asset', asset, content: change.content }));
    case 'threats': {
      const { first, asset, content } = change;
      return each(change.count, index => ({ kind: 'threat', threat: first + index, asset, content }));
    }
    case 'spread':
      // 7 and any number of threats have no common divisor, so that neighbours have different numbers of them.
      return each(change.count, asset =>
        each((asset * 7) % (change.most + 1), (index): PlatformChange => {
          return { kind: 'threat', threat: threatOf(asset, index), asset, content: change.content };
        }),
      ).flat();
    case 'remove-many':
    case 'restore-many': {
      const kind = change.kind === 'remove-many' ? 'remove' : 'restore';
      return each(change.count, index => ({ kind, asset: change.first + index * change.every }));
    }
    case 'move-many':
      return each(change.count, index => {
        const asset = change.first + index;
        return { kind: 'threat', threat: threatOf(asset), asset: asset + change.by, content: change.content };
      });
    default:
      return [change];
  }
}

/** @returns whether anything changed. */
export function apply(change: PlatformChange, platform: Platform, fat?: History['fat']): boolean {
  const { tenantData } = platform;
  const asset = 'asset' in change ? `asset-${change.asset}` : '';
  const threat = 'threat' in change ? `threat-${change.threat}` : '';
  const known = tenantData.streams.assets.latest.get(asset);
  const live = known !== undefined && !known.deletedAt;
  const showsThreat = () => tenantData.isLive('threats', threat);
  switch (change.kind) {
    case 'asset':
      return when(!known || live, () =>
        platform.put(
          'assets',
          `{"id":"${asset}",${UPDATED_AT},${CONTENTS[change.content]}${padding(change.asset, fat)}}`,
        ),
      );
    case 'remove':
      return when(live, () => platform.remove('assets', asset));
    case 'restore':
      return when(known !== undefined && !live, () => platform.restore('assets', asset));
    case 'unseen':
      return when(!known, () => platform.tombstoneUnseen('assets', asset));
    case 'reproject-asset':
      return when(known !== undefined, () => platform.redeliver('assets', asset));
    case 'threat':
      // A threat that moves to a removed asset would disappear without any sign: no tombstone follows the move.
      return when(live && (showsThreat() || !tenantData.streams.threats.latest.has(threat)), () =>
        platform.put('threats', `{"id":"${threat}",${UPDATED_AT},"asset_id":"${asset}",${CONTENTS[change.content]}}`),
      );
    case 'reproject-threat':
      return when(showsThreat(), () => platform.redeliver('threats', threat));
    case 'dns-block':
      return when(!platform.tenantData.streams['dns-blocks'].ids.has(`block-${change.block}`), () =>
        platform.put('dns-blocks', `{"id":"block-${change.block}",${CONTENTS[change.block % CONTENTS.length]}}`),
      );
    case 'rotate-secret':
      return when(true, () => platform.account.rotateSecret());
    case 'expire-tokens':
      return when(true, () => platform.authority.expireTokens());
  }
}

function padding(asset: number, fat: History['fat']): string {
  return fat && asset < fat.assets ? `,"pad":"${'x'.repeat(fat.bytes)}"` : '';
}

function when(sensible: boolean, act: () => void): boolean {
  if (sensible) act();
  return sensible;
}
