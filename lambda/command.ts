/** Payloads of an invocation: `{}` from the schedule, or an operator's commands. */
import * as v from 'valibot';
import type { Commands } from './core/run-streams.ts';
import { issueText, printableList } from './issue-text.ts';
import { STREAMS, type StreamName } from './streams.ts';

export interface Command extends Commands {
  /** Streams that the run reads. If absent, the run reads all streams. */
  readonly streams: readonly StreamName[] | undefined;
}

/** The payload of the invocation is invalid, so nothing was done. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(problems: readonly string[]) {
    super(
      `The payload is not understood, and nothing was done: ${printableList(problems, '; ')}. ` +
        'It is {} or has the members "streams", "resync" and "replay", each a list of stream names, "since", a time from which on ' +
        'streams are replayed, or "confirmOrganization" or "confirmWithdrawals", the digests that `connectorctl confirm` sends.',
    );
  }
}

/**
 * @param known names of the streams that are switched on
 * @throws CommandError
 */
export function parseCommand(payload: unknown, known: readonly StreamName[]): Command {
  const schema = payloadSchema(known);
  // The schema would accept an empty list as an object without members.
  const given = Array.isArray(payload) ? 'a list' : (payload ?? {});
  const parsed = v.safeParse(schema, isEvent(given) ? withoutEvent(given, Object.keys(schema.entries)) : given);
  if (!parsed.success) throw new CommandError(parsed.issues.map(issue => issueText(issue, 'payload')));

  const { streams: named, ...commands } = parsed.output;
  return { streams: named && STREAMS.map(({ name }) => name).filter(name => named.includes(name)), ...commands };
}

/**
 * Whether the payload is an event of EventBridge, for example of a rule without an input. Such an
 * event starts a normal run.
 */
function isEvent(payload: object | string): payload is object {
  return typeof payload === 'object' && Object.hasOwn(payload, 'detail-type');
}

/**
 * Refuses an event that has a member with the name of a command, because the command would not be
 * applied.
 *
 * @returns the empty payload, which starts a normal run
 */
function withoutEvent(event: { readonly detail?: unknown }, commands: readonly string[]): object {
  const members = [...Object.keys(event), ...Object.keys(Object(event.detail))];
  const strays = commands.filter(name => members.includes(name));
  const reason = 'is not read in an event: a command is the whole payload, which a rule sends as its input';
  if (strays.length > 0) throw new CommandError(strays.map(name => `${name} ${reason}`));
  return {};
}

/**
 * Largest number of entries in a list of streams. It is larger than the number of streams, because
 * a sender may name a stream twice.
 */
const MOST_STREAMS = 100;

function payloadSchema(known: readonly StreamName[]) {
  const stream = v.picklist(known, `must be one of ${known.join(', ')}`);
  const streams = listOf(stream, MOST_STREAMS);
  return v.pipe(
    v.strictObject(
      {
        streams: v.optional(v.pipe(streams, v.nonEmpty('must name a stream'))),
        resync: v.optional(streams, []),
        replay: v.optional(streams, []),
        since: v.optional(TIME),
        confirmOrganization: digest(/^[0-9a-f]{16}(-[0-9a-f]{16}){2}$/, 'organization'),
        confirmWithdrawals: digest(/^[0-9a-f]{32}$/, 'withdrawals'),
      },
      'must be an object',
    ),
    v.check(
      ({ streams: named, resync, replay }) => !named || [...resync, ...replay].every(name => named.includes(name)),
      'must not name a stream to resync or replay that "streams" leaves out',
    ),
    v.check(({ replay, since }) => since === undefined || replay.length > 0, 'must have "replay" where it has "since"'),
  );
}

const TIME_FORM = 'must be a time with its zone, such as "2026-11-24T08:00:00Z"';

/** Schema of a time, which is converted to milliseconds since 1970. */
const TIME = v.pipe(
  v.string(TIME_FORM),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/, TIME_FORM),
  v.transform(text => Date.parse(text)),
  v.number(TIME_FORM),
);

/**
 * Schema of a digest. It identifies the organization or the withdrawals that an operator has seen
 * and confirmed. See core/organization.ts and core/guard.ts.
 */
function digest(form: RegExp, subject: string) {
  const message = `must be the digest that \`connectorctl confirm ${subject}\` sends`;
  return v.optional(v.pipe(v.string(message), v.regex(form, message)));
}

/**
 * Schema of a list. The length is checked before the entries, because every wrong entry adds a
 * problem to the result, which takes memory.
 */
function listOf<T extends v.GenericSchema>(entry: T, most: number) {
  return v.pipe(
    v.array(v.unknown(), 'must be a list'),
    v.maxLength(most, `must have ${most} entries at most`),
    v.array(entry),
  );
}
