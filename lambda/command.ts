/** What the function may be invoked with: `{}` on schedule, or an operator's commands. */
import * as v from 'valibot';
import { type DeadLetterKey, parseDeadLetterKey } from './core/dead-letter.ts';
import type { Commands } from './core/run-streams.ts';
import { STREAMS, type StreamName } from './streams.ts';

export interface Command extends Commands {
  /** Absent: all streams. */
  readonly streams: readonly StreamName[] | undefined;
}

/** The payload of the invocation is not understood, and nothing was done. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(faults: readonly string[]) {
    super(
      `The payload is not understood, and nothing was done: ${faults.join('; ')}. ` +
        'It is {} or has the members "streams", "resync" and "replay", each a list of stream names, or "redrive", a list of ' +
        'keys of dead letters.',
    );
  }
}

/** Dead letters of one command: they are tried again within the time of one run, with room to spare. */
export const MAX_REDRIVE = 500;

/**
 * @param known the streams that are on
 * @param connector whose dead letters may be tried again
 * @throws CommandError
 */
export function parseCommand(payload: unknown, known: readonly StreamName[], connector: string): Command {
  // To the schema an empty list is an object without members.
  const given = Array.isArray(payload) ? 'a list' : payload;
  const parsed = v.safeParse(payloadSchema(known, connector), isScheduled(given) ? {} : given);
  if (!parsed.success)
    throw new CommandError(parsed.issues.map(issue => `${v.getDotPath(issue) ?? 'payload'} ${issue.message}`));
  const { streams: named, ...commands } = parsed.output;
  return { streams: named && STREAMS.map(each => each.name).filter(name => named.includes(name)), ...commands };
}

function payloadSchema(known: readonly StreamName[], connector: string) {
  const streams = v.array(v.picklist(known, `must be one of ${known.join(', ')}`));
  const deadLetter = v.pipe(
    v.string('must be the key of a dead letter'),
    v.transform(key => ({ key, stream: parseDeadLetterKey(key, connector)?.stream })),
    v.check(
      ({ stream }) => known.some(each => each === stream),
      'must be the key of a dead letter of this connector, of a stream that is on',
    ),
    v.transform(place => place as DeadLetterKey),
  );
  return v.pipe(
    v.strictObject({
      streams: v.optional(v.pipe(streams, v.nonEmpty('must name a stream'))),
      resync: v.optional(streams, []),
      replay: v.optional(streams, []),
      redrive: v.optional(
        v.pipe(v.array(deadLetter), v.maxLength(MAX_REDRIVE, `must be ${MAX_REDRIVE} keys at most`)),
        [],
      ),
    }),
    v.check(
      ({ streams: named, resync, replay, redrive }) =>
        !named || [...resync, ...replay, ...redrive.map(each => each.stream)].every(each => named.includes(each)),
      'must not name a stream to resync, replay or redrive that "streams" leaves out',
    ),
  );
}

/** EventBridge rules send an envelope of their own where no input is set; it asks for nothing in particular. */
function isScheduled(payload: unknown): boolean {
  if (payload === undefined || payload === null) return true;
  return typeof payload === 'object' && 'detail-type' in payload;
}
