/** What the API answers for an id now, beside what the connector last sent for it. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { deadLetterKey } from '../../../lambda/core/dead-letter.ts';
import type { SavedStream, StoredState } from '../../../lambda/ports.ts';
import type { StreamName, SyncedStream } from '../../../lambda/streams.ts';
import { type Access, openAccess } from '../access/access.ts';
import { awsFailureText } from '../aws-failure.ts';
import type { Context } from '../context.ts';
import { isCutOff, RefusedError } from '../errors.ts';
import { type Answer, askForRow, checkAskable } from './answer.ts';
import { deliveryPlace } from './delivery-place.ts';
import { type DifferingMember, differingMembers } from './differing-members.ts';
import { BOUNDS, type FoundEvent, findEvent } from './find-event.ts';
import { isTrue, type ResultWord, resultOf, unconfirmedFor } from './verdict.ts';

export interface Lookup {
  readonly stream: StreamName;
  readonly id: string;
  readonly answer: Answer;
  /** Nothing when the connector has never sent the id. */
  readonly stored: StoredState | undefined;
  /** Nothing when there is no event to look for. */
  readonly found: FoundEvent | undefined;
  readonly result: ResultWord;
  /** Nothing where not both rows are known. */
  readonly differing: readonly DifferingMember[] | undefined;
}

export interface LookupOptions {
  /** Minutes after it was made in which the event is looked for. */
  readonly minutes?: number;
}

/** @throws RefusedError, AwsCallError; as the API's client does when it cannot be asked */
export async function lookUp(
  context: Context,
  name: StreamName,
  id: string,
  { minutes = BOUNDS.minutes }: LookupOptions,
): Promise<Lookup> {
  checkAskable(id);
  const access = await openAccess(context);
  const stream = streamOf(access, name);
  const [answer, stored, memory] = await Promise.all([
    askForRow(access, stream, id),
    storedState(access, name, id),
    access.checkpoints.load([name]).then(memories => memories.get(name)),
  ]);
  const found = await eventOf(context, { name, id, stored, minutes });
  const differ = differing(answer, found);
  const noted = resultOf(answer, stored);
  const unconfirmed = isTrue(noted) ? unconfirmedBefore(id, stored, memory) : undefined;
  const result = unconfirmed ?? (noted === 'same' ? await witnessed(context, { name, stored, found, differ }) : noted);
  return { stream: name, id, answer, stored, found, result, differing: differ };
}

function unconfirmedBefore(id: string, stored: StoredState | undefined, memory: SavedStream | Error | undefined) {
  if (!stored || stored instanceof Error || !memory) return undefined;
  return memory instanceof Error ? 'not known' : unconfirmedFor(id, stored, memory);
}

interface Evidence {
  readonly name: StreamName;
  readonly stored: StoredState | undefined;
  readonly found: FoundEvent | undefined;
  readonly differ: readonly DifferingMember[] | undefined;
}

/** By the connector's note the SIEM has what the API has: the event itself, or a dead letter in its place, knows better. */
async function witnessed(context: Context, { name, stored, found, differ }: Evidence): Promise<ResultWord> {
  if (found && 'event' in found) {
    if (found.event.row === undefined) return 'too large';
    return differ && differ.length > 0 ? 'differs' : 'same';
  }
  const rowHash = stored && !(stored instanceof Error) ? stored.rowHash : '';
  return (await liesAsLetter(context, name, rowHash)) ? 'too large' : 'same';
}

/** Whoever may not list the bucket is not kept from the rest. */
async function liesAsLetter(context: Context, stream: StreamName, rowHash: string): Promise<boolean> {
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

async function storedState(access: Access, stream: StreamName, id: string): Promise<StoredState | undefined> {
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
  readonly stored: StoredState | undefined;
  readonly minutes: number;
}

/** The bucket may be closed to the operator: then the rest is told all the same. */
async function eventOf(context: Context, { name, id, stored, minutes }: Wanted): Promise<FoundEvent | undefined> {
  if (!stored || stored instanceof Error) return undefined;
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
