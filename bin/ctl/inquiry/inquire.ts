/** What the API answers for an id now, beside what the connector last sent for it. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { letterKey } from '../../../lambda/core/letter.ts';
import type { StoredState, StreamMemory } from '../../../lambda/ports.ts';
import type { DrainedStream, StreamName } from '../../../lambda/streams.ts';
import { type Access, openAccess } from '../access/access.ts';
import { awsFailureText } from '../aws-failure.ts';
import type { Context } from '../context.ts';
import { isCutOff, RefusedError } from '../errors.ts';
import { type Answer, askForRow, checkAskable } from './answer.ts';
import { deliveryPlace } from './delivery-place.ts';
import { type DifferingMember, differingMembers } from './differing-members.ts';
import { BOUNDS, type FoundEvent, findEvent } from './find-event.ts';
import { doubtAbout, isTrue, type VerdictWord, verdictOf } from './verdict.ts';

export interface Inquiry {
  readonly stream: StreamName;
  readonly id: string;
  readonly answer: Answer;
  /** Nothing when the connector has never sent the id. */
  readonly stored: StoredState | undefined;
  /** Nothing when there is no event to look for. */
  readonly found: FoundEvent | undefined;
  readonly verdict: VerdictWord;
  /** Nothing where not both rows are known. */
  readonly differing: readonly DifferingMember[] | undefined;
}

export interface InquiryOptions {
  /** Minutes after it was made in which the event is looked for. */
  readonly minutes?: number;
}

/** @throws RefusedError, AwsCallError; as the API's client does when it cannot be asked */
export async function inquire(
  context: Context,
  name: StreamName,
  id: string,
  { minutes = BOUNDS.minutes }: InquiryOptions,
): Promise<Inquiry> {
  checkAskable(id);
  const access = await openAccess(context);
  const stream = streamOf(access, name);
  const [answer, stored, memory] = await Promise.all([
    askForRow(access, stream, id),
    storedState(access, name, id),
    access.checkpoints.load([name]).then(memories => memories.get(name)),
  ]);
  const found = await lookUp(context, { name, id, stored, minutes });
  const differ = differing(answer, found);
  const noted = verdictOf(answer, stored);
  const doubt = isTrue(noted) ? doubted(id, stored, memory) : undefined;
  const verdict = doubt ?? (noted === 'same' ? await witnessed(context, { name, stored, found, differ }) : noted);
  return { stream: name, id, answer, stored, found, verdict, differing: differ };
}

function doubted(id: string, stored: StoredState | undefined, memory: StreamMemory | Error | undefined) {
  if (!stored || stored instanceof Error || !memory) return undefined;
  return memory instanceof Error ? 'not known' : doubtAbout(id, stored, memory);
}

interface Evidence {
  readonly name: StreamName;
  readonly stored: StoredState | undefined;
  readonly found: FoundEvent | undefined;
  readonly differ: readonly DifferingMember[] | undefined;
}

/** By the connector's note the SIEM has what the API has: the event itself, or a dead letter in its place, knows better. */
async function witnessed(context: Context, { name, stored, found, differ }: Evidence): Promise<VerdictWord> {
  if (found && 'event' in found) {
    if (found.event.row === undefined) return 'too large';
    return differ && differ.length > 0 ? 'differs' : 'same';
  }
  const digest = stored && !(stored instanceof Error) ? stored.digest : '';
  return (await liesAsLetter(context, name, digest)) ? 'too large' : 'same';
}

/** Whoever may not list the bucket is not kept from the rest. */
async function liesAsLetter(context: Context, stream: StreamName, digest: string): Promise<boolean> {
  const { bucket, connector } = await context.deployment();
  const Prefix = letterKey({ stream, reason: 'oversize', digest }, connector);
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

export function streamOf({ streams }: Access, name: StreamName): DrainedStream {
  const stream = streams.find(each => each.name === name);
  if (!stream) throw new RefusedError(`The connector does not read ${name}. Nothing was done.`);
  return stream;
}

interface LookUp {
  readonly name: StreamName;
  readonly id: string;
  readonly stored: StoredState | undefined;
  readonly minutes: number;
}

/** The bucket may be closed to the operator: then the rest is told all the same. */
async function lookUp(context: Context, { name, id, stored, minutes }: LookUp): Promise<FoundEvent | undefined> {
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
