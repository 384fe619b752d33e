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

/** By content a word that stands in its rows alone, however they are laid out. */
export const MARKS = ['__proto__', 'constructor', '1e400', '1e401'] as const;

/** Content alone tells two versions apart here: the time of the change must not. */
const UPDATED_AT = '"updated_at":"2026-01-01T00:00:00.000Z"';

type Bulk = Extract<Change, { readonly kind: 'assets' | 'threats' }>;
export type PlatformChange = Exclude<Change, { readonly kind: 'forget-cursors' } | Bulk>;

/** @returns the changes of single rows that a change of many stands for */
export function single(change: Exclude<Change, { readonly kind: 'forget-cursors' }>): PlatformChange[] {
  if (change.kind !== 'assets' && change.kind !== 'threats') return [change];
  const { count, content } = change;
  return Array.from({ length: count }, (_, index): PlatformChange => {
    if (change.kind === 'assets') return { kind: 'asset', asset: index, content };
    return { kind: 'threat', threat: change.first + index, asset: change.asset, content };
  });
}

/** @returns whether anything changed. */
export function apply(change: PlatformChange, platform: Platform, fat?: History['fat']): boolean {
  const { tenantData } = platform;
  const asset = 'asset' in change ? `asset-${change.asset}` : '';
  const threat = 'threat' in change ? `threat-${change.threat}` : '';
  const known = tenantData.assets.latest.get(asset);
  const live = known !== undefined && !known.deletedAt;
  const showsThreat = () => {
    const version = tenantData.threats.latest.get(threat);
    return version !== undefined && !tenantData.isHidden(version);
  };
  switch (change.kind) {
    case 'asset':
      return when(!known || live, () =>
        platform.putAsset(`{"id":"${asset}",${UPDATED_AT},${CONTENTS[change.content]}${padding(change.asset, fat)}}`),
      );
    case 'remove':
      return when(live, () => platform.removeAsset(asset));
    case 'restore':
      return when(known !== undefined && !live, () => platform.restoreAsset(asset));
    case 'unseen':
      return when(!known, () => platform.tombstoneUnseen(asset));
    case 'reproject-asset':
      return when(known !== undefined, () => platform.reproject('assets', asset));
    case 'threat':
      // A threat that moves to a removed asset would vanish with no sign at all: no tombstone follows the move.
      return when(live && (showsThreat() || !tenantData.threats.latest.has(threat)), () =>
        platform.putThreat(`{"id":"${threat}",${UPDATED_AT},"asset_id":"${asset}",${CONTENTS[change.content]}}`),
      );
    case 'reproject-threat':
      return when(showsThreat(), () => platform.reproject('threats', threat));
    case 'dns-block':
      return when(!platform.dnsBlocks.ids.has(`block-${change.block}`), () =>
        platform.putDnsBlock(`{"id":"block-${change.block}",${CONTENTS[change.block % CONTENTS.length]}}`),
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
