/** Compares the API's answer for an id with what the connector last sent. */
import { deadLetterKey } from '../../../../lambda/core/dead-letter.ts';
import { type CutMember, cutBody } from '../../../../lambda/core/json/cutter.ts';
import type { RowState } from '../../../../lambda/ports.ts';
import type { StreamName, SyncedStream } from '../../../../lambda/streams.ts';
import { type Access, openAccess } from '../../access.ts';
import { countObjects } from '../../bucket.ts';
import type { Context } from '../../context.ts';
import { deliveryPlace } from '../../delivery-place.ts';
import { AwsCallError, isCutOff, RefusedError } from '../../errors.ts';
import { type Answer, askForRow, checkAskable, isTrue, type ResultWord, resultOf, unconfirmedFor } from './answer.ts';
import { type EventQuery, type FoundEvent, findEvent } from './find-event.ts';

export interface Lookup {
  readonly stream: StreamName;
  readonly id: string;
  readonly answer: Answer;
  /** Undefined if the id was never sent. */
  readonly stored: RowState | undefined;
  /** Undefined if there is no event to find. */
  readonly found: FoundEvent | undefined;
  readonly result: ResultWord;
  /** Undefined unless both rows are known. */
  readonly differing: readonly DifferingMember[] | undefined;
}

/** @param minutes after the event in which it is searched @throws RefusedError, AwsCallError; as the API's client does */
export async function lookUp(context: Context, name: StreamName, id: string, minutes?: number): Promise<Lookup> {
  checkAskable(id);
  const access = await openAccess(context);
  const stream = streamOf(access, name);
  const [answer, states, { streams }] = await Promise.all([
    askForRow(access, stream, id),
    access.rowStates.get(name, [id]),
    access.checkpoints.load([name]),
  ]);
  const stored = states.get(id);
  const found = stored && (await eventOf(context, { stream: name, id, ...stored, ...(minutes && { minutes }) }));
  const sent = found && 'event' in found ? found.event : undefined;
  const differing =
    answer.kind === 'row' && sent?.row !== undefined ? differingMembers(answer.row.text, sent.row) : undefined;
  const lookup = { stream: name, id, answer, stored, found, differing };
  const expected = resultOf(answer, stored);
  const unconfirmed = isTrue(expected) ? unconfirmedFor(id, stored, streams.get(name)) : undefined;
  if (unconfirmed || expected !== 'same') return { ...lookup, result: unconfirmed ?? expected };
  // The delivered event, or a dead letter in its place, outweighs the row state.
  const isTooLarge = sent ? sent.row === undefined : await isOversizeDeadLetter(context, name, stored?.rowHash ?? '');
  return { ...lookup, result: isTooLarge ? 'too large' : differing?.length ? 'differs' : 'same' };
}

/** Without access to the bucket the rest of the answer is still shown. */
async function isOversizeDeadLetter(context: Context, stream: StreamName, rowHash: string): Promise<boolean> {
  const { bucket, connector } = await context.deployment();
  const prefix = deadLetterKey({ stream, reason: 'oversize', rowHash }, connector);
  try {
    return (await countObjects(context.aws, bucket, prefix, 1)).count > 0;
  } catch (error) {
    if (isCutOff(error)) throw error;
    return false;
  }
}

/** Without access to the bucket the rest of the answer is still shown. */
async function eventOf({ aws, deployment }: Context, query: EventQuery): Promise<FoundEvent> {
  try {
    return await findEvent(aws, await deliveryPlace(aws, await deployment()), query);
  } catch (error) {
    if (isCutOff(error)) throw error;
    const { message } = new AwsCallError('the bucket could not be read', error);
    return { notFound: message.replaceAll('\n', ' ').replace(/\.$/, '') };
  }
}

export function streamOf({ streams }: Access, name: StreamName): SyncedStream {
  const stream = streams.find(each => each.name === name);
  if (!stream) throw new RefusedError(`The connector does not read ${name}. Nothing was done.`);
  return stream;
}

export interface DifferingMember {
  readonly name: string;
  /** JSON text as sent, undefined if the row lacks the member. */
  readonly api: string | undefined;
  readonly siem: string | undefined;
}

const NOTHING = { wanted: [], excluded: '' };
/** Null on single reads, and not part of the content. */
const POSITION = 'stream_position';

/**
 * Compares as the row hash does: every digit counts, the order of members does not. The API's members come first.
 *
 * @throws JsonError unless both are JSON objects
 */
export function differingMembers(api: string, siem: string): DifferingMember[] {
  const [ours, theirs] = [membersOf(api), membersOf(siem)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].filter(name => name !== POSITION);
  return names
    .map(name => ({ name, api: ours.get(name), siem: theirs.get(name) }))
    .filter(each => canonical(each.api) !== canonical(each.siem));
}

/** The last of several members with one name counts. */
function membersOf(text: string): Map<string, string> {
  const source = Buffer.from(text);
  const cut = ({ name, start, end }: CutMember): [string, string] => [name, source.toString('utf8', start, end)];
  return new Map(cutBody(source, NOTHING).map(cut));
}

function canonical(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  return cutBody(Buffer.from(`{"a":[${json}]}`), NOTHING)[0]!.elements![0]!.canonical;
}
