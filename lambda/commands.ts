/** What the function may be invoked with: `{}` on schedule, or an operator's commands. */
import * as v from 'valibot';
import type { Commands } from './core/tick.ts';
import { STREAMS, type StreamName } from './streams.ts';

export interface Order extends Commands {
  /** Absent: all streams. */
  readonly streams: readonly StreamName[] | undefined;
}

/** The invocation's payload is none that the function knows; nothing was done. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(faults: readonly string[]) {
    super(
      `The payload is not understood, and nothing was done: ${faults.join('; ')}. ` +
        'It is {} or has the members "streams", "resync" and "replay", each a list of stream names.',
    );
  }
}

/** @param known the streams that are on @throws CommandError */
export function parseOrder(payload: unknown, known: readonly StreamName[]): Order {
  const streams = v.array(v.picklist(known, `must be one of ${known.join(', ')}`));
  const Payload = v.pipe(
    v.strictObject({
      streams: v.optional(v.pipe(streams, v.nonEmpty('must name a stream'))),
      resync: v.optional(streams, []),
      replay: v.optional(streams, []),
    }),
    v.check(
      ({ streams: named, resync, replay }) => !named || [...resync, ...replay].every(each => named.includes(each)),
      'must not order a resync or replay of a stream that "streams" leaves out',
    ),
  );
  // To the schema an empty list is an object without members.
  const given = Array.isArray(payload) ? 'a list' : payload;
  const parsed = v.safeParse(Payload, isScheduled(given) ? {} : given);
  if (!parsed.success)
    throw new CommandError(parsed.issues.map(issue => `${v.getDotPath(issue) ?? 'payload'} ${issue.message}`));
  const { streams: named, resync, replay } = parsed.output;
  return { streams: named && STREAMS.map(each => each.name).filter(name => named.includes(name)), resync, replay };
}

/** EventBridge rules send an envelope of their own where no input is set; it asks for nothing in particular. */
function isScheduled(payload: unknown): boolean {
  if (payload === undefined || payload === null) return true;
  return typeof payload === 'object' && 'detail-type' in payload;
}
