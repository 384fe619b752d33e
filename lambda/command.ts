/** Payloads of an invocation: `{}` from the schedule, or an operator's commands. */
import * as v from 'valibot';
import type { Commands } from './core/run-streams.ts';
import { STREAMS, type StreamName, type VersionedName } from './streams.ts';

export interface Command extends Commands {
  /** Absent: all streams. */
  readonly streams: readonly StreamName[] | undefined;
}

/** The payload of the invocation is invalid, and nothing was done. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(faults: readonly string[]) {
    super(
      `The payload is not understood, and nothing was done: ${faults.join('; ')}. ` +
        'It is {} or has the members "streams", "resync" and "replay", each a list of stream names, "repair", lists of ids by stream, or ' +
        '"confirmOrganization", which is true.',
    );
  }
}

/** Rows of one command: they are repaired within the time of one run, with room to spare. */
export const MAX_REPAIR = 500;

/** @param known the streams that are on @throws CommandError */
export function parseCommand(payload: unknown, known: readonly StreamName[]): Command {
  // The schema takes an empty list for an object without members.
  const given = Array.isArray(payload) ? 'a list' : payload;
  const parsed = v.safeParse(payloadSchema(known), isScheduled(given) ? {} : given);
  if (!parsed.success)
    throw new CommandError(parsed.issues.map(issue => `${v.getDotPath(issue) ?? 'payload'} ${issue.message}`));
  const { streams: named, ...commands } = parsed.output;
  return { streams: named && STREAMS.map(each => each.name).filter(name => named.includes(name)), ...commands };
}

const VERSIONED = STREAMS.filter(each => each.hasRowStates).map(each => each.name);

function payloadSchema(known: readonly StreamName[]) {
  const streams = v.array(v.picklist(known, `must be one of ${known.join(', ')}`));
  const ids = v.optional(v.array(v.pipe(v.string('must be an id'), v.nonEmpty('must be an id'))));
  const byStream = Object.fromEntries(VERSIONED.map(name => [name, ids])) as Record<VersionedName, typeof ids>;
  return v.pipe(
    v.strictObject({
      streams: v.optional(v.pipe(streams, v.nonEmpty('must name a stream'))),
      resync: v.optional(streams, []),
      replay: v.optional(streams, []),
      repair: v.optional(
        v.pipe(
          v.strictObject(byStream),
          v.check(repair => Object.values(repair).flat().length <= MAX_REPAIR, `must have ${MAX_REPAIR} ids at most`),
        ),
        {},
      ),
      confirmOrganization: v.optional(v.literal(true, 'must be true')),
    }),
    v.check(
      ({ streams: named, resync, replay, repair }) =>
        !named || [...resync, ...replay, ...Object.keys(repair)].every(each => named.includes(each as StreamName)),
      'must not name a stream to resync, replay or repair that "streams" leaves out',
    ),
  );
}

/** EventBridge rules without an input send their own envelope, which contains no command. */
function isScheduled(payload: unknown): boolean {
  if (payload === undefined || payload === null) return true;
  return typeof payload === 'object' && 'detail-type' in payload;
}
