import { STREAMS } from '../../lambda/streams.ts';
import type { StreamCounts } from './metric-tally.ts';
import { optionOf } from './option-settings.ts';
import { grouped } from './progress.ts';

/** What the figures do not say by themselves. `streams` are those that are on. */
export function summaryNotes(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string[] {
  const sum = (count: (counts: StreamCounts) => number) =>
    streams.reduce((total, stream) => total + count(countsOf(stream)), 0);
  const withoutParent = sum(counts => counts.ThreatsWithoutAsset);
  const refused = sum(counts => counts.CursorRefused);
  return [
    ...(withoutParent > 0
      ? [`${grouped(withoutParent)} threats do not name their asset: --threat-asset-field says which member does.`]
      : []),
    ...(refused > 0 ? ['The API refused a cursor; rows were read again, and only what had changed was sent.'] : []),
    ...STREAMS.flatMap(stream =>
      'path' in stream || streams.includes(stream.name)
        ? []
        : [`The stream ${stream.name} is off: ${optionOf(stream.pathOption)} turns it on.`],
    ),
  ];
}
