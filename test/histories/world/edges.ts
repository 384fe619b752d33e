/** What one process reaches: each service of the world through the gate of the process. */

import { sha256 } from '../../../lambda/adapters/sha256.ts';
import { readLetterKey } from '../../../lambda/core/letter.ts';
import type { Log } from '../../../lambda/ports.ts';
import type { Edges } from '../../../lambda/world.ts';
import type { Platform } from '../../../local/platform/platform.ts';
import type { Edition, History } from '../history.ts';
import type { Witness } from '../oracle/witness.ts';
import type { SimBucket } from './bucket.ts';
import type { SimDynamoDb } from './dynamodb.ts';
import type { SimFirehose } from './firehose.ts';
import { networkOf } from './network.ts';
import type { SimProcess } from './process.ts';
import { CONNECTOR } from './settings.ts';

export interface Surroundings {
  readonly history: History;
  readonly platform: Platform;
  readonly witness: Witness;
  readonly dynamodb: SimDynamoDb;
  readonly firehose: SimFirehose;
  readonly bucket: SimBucket;
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export function edgesOf(process: SimProcess, edition: Edition, around: Surroundings): Edges {
  const { history, platform, witness, dynamodb, firehose, bucket } = around;
  const { account } = platform;
  const secret = () => ({
    SecretString: JSON.stringify({ client_id: account.clientId, client_secret: account.clientSecret }),
  });
  const tries = (key: string) => void process.trying.set(readLetterKey(key, CONNECTOR)!.stream, key);
  return {
    dynamodb: { send: command => process.io(dynamodb.service(command, process)) },
    firehose: { send: command => process.io(firehose.service(command, process)) },
    secrets: { send: () => process.io({ effect: secret, strike: () => undefined }) },
    s3: async () => ({ send: command => process.io(bucket.service(command, edition, tries)) }),
    fetch: networkOf(process, {
      platform,
      history,
      edition,
      isForgotten: witness.isForgotten,
      onPage: witness.read,
      onBadRow: witness.badRow,
      onRefusedCursor: witness.beginAnew,
    }),
    clock: process.clock,
    random: process.random.next,
    hash: sha256,
    log: SILENT,
  };
}
