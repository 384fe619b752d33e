import { STREAMS, type Stream } from '../lambda/streams.ts';

/** Streams that are on: one without a path of its own is on only when the configuration gives its path. */
export function streamsOf({ dnsBlocksPath }: { readonly dnsBlocksPath?: string }): readonly Stream[] {
  return STREAMS.filter((stream: Stream) => stream.path !== undefined || dnsBlocksPath !== undefined);
}
