/** Compares the API's answer for an id with what the connector last sent. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { deadLetterKey } from '../../../../lambda/core/dead-letter.ts';
import { type CutMember, cutBody } from '../../../../lambda/core/json/cutter.ts';
import type { RowState, SavedStream } from '../../../../lambda/ports.ts';
import type { StreamName, SyncedStream } from '../../../../lambda/streams.ts';
import { type Access, openAccess } from '../../access.ts';
import type { Context } from '../../context.ts';
import { awsFailureText, isCutOff, RefusedError } from '../../errors.ts';
import { type Answer, askForRow, checkAskable, isTrue, type ResultWord, resultOf, unconfirmedFor } from './answer.ts';
import { BOUNDS, deliveryPlace, type FoundEvent, findEvent } from './find-event.ts';

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

export interface LookupOptions {
  /** Minutes after the event in which it is searched. */
  readonly minutes?: number;
}

/** @throws RefusedError, AwsCallError; as the API's client does */
export async function lookUp(
  context: Context,
  name: StreamName,
  id: string,
  { minutes = BOUNDS.minutes }: LookupOptions,
): Promise<Lookup> {
  checkAskable(id);
  const access = await openAccess(context);
  const stream = streamOf(access, name);
  const [answer, stored, saved] = await Promise.all([
    askForRow(access, stream, id),
    storedState(access, name, id),
    access.checkpoints.load([name]).then(({ streams }) => streams.get(name)),
  ]);
  const found = await eventOf(context, { name, id, stored, minutes });
  const differ = differing(answer, found);
  const expected = resultOf(answer, stored);
  const unconfirmed = isTrue(expected) ? unconfirmedBefore(id, stored, saved) : undefined;
  const result =
    unconfirmed ?? (expected === 'same' ? await checkedByEvent(context, { name, stored, found, differ }) : expected);
  return { stream: name, id, answer, stored, found, result, differing: differ };
}

function unconfirmedBefore(id: string, stored: RowState | undefined, saved: SavedStream | Error | undefined) {
  if (!saved) return undefined;
  return saved instanceof Error ? 'unknown' : unconfirmedFor(id, stored, saved);
}

interface Evidence {
  readonly name: StreamName;
  readonly stored: RowState | undefined;
  readonly found: FoundEvent | undefined;
  readonly differ: readonly DifferingMember[] | undefined;
}

/** The delivered event, or a dead letter in its place, outweighs the row state. */
async function checkedByEvent(context: Context, { name, stored, found, differ }: Evidence): Promise<ResultWord> {
  if (found && 'event' in found) {
    if (found.event.row === undefined) return 'too large';
    return differ && differ.length > 0 ? 'differs' : 'same';
  }
  const rowHash = stored?.rowHash ?? '';
  return (await isOversizeDeadLetter(context, name, rowHash)) ? 'too large' : 'same';
}

/** Without access to the bucket the rest of the answer is still shown. */
async function isOversizeDeadLetter(context: Context, stream: StreamName, rowHash: string): Promise<boolean> {
  const { bucket, connector } = await context.deployment();
  const Prefix = deadLetterKey({ stream, reason: 'oversize', rowHash }, connector);
  try {
    const { KeyCount: count = 0 } = await context.aws.s3().send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
    return count > 0;
  } catch (error) {
    if (isCutOff(error)) throw error;
    return false;
  }
}

async function storedState(access: Access, stream: StreamName, id: string): Promise<RowState | undefined> {
  return (await access.rowStates.get(stream, [id])).get(id);
}

export function streamOf({ streams }: Access, name: StreamName): SyncedStream {
  const stream = streams.find(each => each.name === name);
  if (!stream) throw new RefusedError(`The connector does not read ${name}. Nothing was done.`);
  return stream;
}

interface Wanted {
  readonly name: StreamName;
  readonly id: string;
  readonly stored: RowState | undefined;
  readonly minutes: number;
}

/** Without access to the bucket the rest of the answer is still shown. */
async function eventOf(context: Context, { name, id, stored, minutes }: Wanted): Promise<FoundEvent | undefined> {
  if (!stored) return undefined;
  const { sequence, forwardedAt } = stored;
  const { aws } = context;
  try {
    const place = await deliveryPlace(aws, await context.deployment());
    return await findEvent(aws, place, { stream: name, id, sequence, forwardedAt }, { ...BOUNDS, minutes });
  } catch (error) {
    if (isCutOff(error)) throw error;
    return {
      notFound: `the bucket could not be read: ${awsFailureText(error)} You need s3:ListBucket and s3:GetObject`,
    };
  }
}

function differing(answer: Answer, found: FoundEvent | undefined): DifferingMember[] | undefined {
  const row = found && 'event' in found ? found.event.row : undefined;
  return answer.kind === 'row' && row !== undefined ? differingMembers(answer.row.text, row) : undefined;
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
