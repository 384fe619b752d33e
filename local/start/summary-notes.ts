import type { StreamCounts } from './metric-tally.ts';
import { grouped } from './progress.ts';

/** What the figures do not say by themselves. `streams` are those that are on. */
export function summaryNotes(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string[] {
  const sum = (count: (counts: StreamCounts) => number) =>
    streams.reduce((total, stream) => total + count(countsOf(stream)), 0);
  const unseen = sum(counts => counts.TombstonesUnseen);
  const ownerless = sum(counts => counts.ThreatsWithoutAsset);
  const refused = sum(counts => counts.CursorRefused);
  return [
    ...(unseen > 0 ? [`${grouped(unseen)} tombstones are of assets that were never sent, so they are not sent.`] : []),
    ...(ownerless > 0
      ? [`${grouped(ownerless)} threats do not name their asset: --threat-asset-field says which member does.`]
      : []),
    ...(refused > 0 ? ['The API refused a cursor; rows were read again, and only what had changed was sent.'] : []),
    ...(streams.includes('dns-blocks') ? [] : ['DNS blocks are off: --dns-blocks-path turns them on.']),
  ];
}
