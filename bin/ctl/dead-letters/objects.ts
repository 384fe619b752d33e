/** Objects of the bucket that hold what could not be sent or delivered. */
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { deadLettersPrefix, parseDeadLetterKey } from '../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { PREFIXES } from '../../../lib/prefixes.ts';
import type { Context } from '../context.ts';
import { AwsCallError } from '../errors.ts';

/** A row that the function could not send, or a batch that Firehose could not deliver. */
export interface SetAside {
  readonly key: string;
  readonly bytes: number;
  /** Milliseconds since 1970 at which it was written, the last time where it was written again. */
  readonly since: number;
  /** Of a row; a batch may hold several. */
  readonly stream: StreamName | undefined;
  /** Why, as far as the key says it. */
  readonly why: string;
}

/** @throws AwsCallError */
export async function listDeadLetters(context: Context): Promise<SetAside[]> {
  const { connector } = await context.deployment();
  const objects = await list(context, deadLettersPrefix(connector));
  return objects.flatMap(each => {
    const told = parseDeadLetterKey(each.key, connector);
    return told ? [{ ...each, stream: told.stream, why: told.reason }] : [];
  });
}

/** @throws AwsCallError */
export async function listDeliveryErrors(context: Context): Promise<SetAside[]> {
  const objects = await list(context, PREFIXES.deliveryErrors);
  return objects.map(each => ({ ...each, stream: undefined, why: each.key.split('/')[1] ?? '' }));
}

async function list(context: Context, Prefix: string): Promise<Pick<SetAside, 'key' | 'bytes' | 'since'>[]> {
  const { bucket } = await context.deployment();
  const found: Pick<SetAside, 'key' | 'bytes' | 'since'>[] = [];
  try {
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: context.aws.s3() },
      { Bucket: bucket, Prefix },
    )) {
      for (const { Key: key = '', Size: bytes = 0, LastModified: modified } of Contents) {
        if (!key.endsWith('/')) found.push({ key, bytes, since: modified?.getTime() ?? 0 });
      }
    }
  } catch (cause) {
    throw new AwsCallError(
      `The bucket ${bucket} could not be listed`,
      'Nothing was changed. You need s3:ListBucket on it.',
      cause,
    );
  }
  return found;
}
