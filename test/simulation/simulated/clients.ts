/** The clients of one process: each simulated service, through the gate of the process. */
import type { Clients } from '../../../lambda/compose.ts';
import { OPTION_DEFAULTS } from '../../../lambda/options.ts';
import type { Log } from '../../../lambda/ports.ts';
import type { Settings } from '../../../lambda/settings.ts';
import { sha256 } from '../../../lambda/system.ts';
import type { Platform } from '../../../local/platform/platform.ts';
import type { History } from '../history.ts';
import type { Recorder } from '../oracle/recorder.ts';
import type { SimBucket } from './bucket.ts';
import type { SimDynamoDb } from './dynamodb.ts';
import type { SimFirehose } from './firehose.ts';
import { networkOf, ORIGIN } from './network.ts';
import type { SimProcess } from './process.ts';

export interface Surroundings {
  readonly history: History;
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly dynamodb: SimDynamoDb;
  readonly firehose: SimFirehose;
  readonly bucket: SimBucket;
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export function clientsOf(process: SimProcess, around: Surroundings): Clients {
  const { history, platform, recorder, dynamodb, firehose, bucket } = around;
  const { account } = platform;
  const secret = () => ({
    SecretString: JSON.stringify({ client_id: account.clientId, client_secret: account.clientSecret }),
  });
  return {
    dynamodb: { send: command => process.io(dynamodb.service(command, process)) },
    firehose: { send: command => process.io(firehose.service(command, process)) },
    secrets: { send: () => process.io({ effect: secret, strike: () => undefined }) },
    s3: async () => ({ send: command => process.io(bucket.service(command)) }),
    fetch: networkOf(process, {
      platform,
      history,
      isForgotten: recorder.isForgotten,
      onPage: recorder.read,
      onBadRow: recorder.badRow,
      onRefusedCursor: recorder.beginAgain,
    }),
    clock: process.clock,
    random: process.random.next,
    hash: sha256,
    log: SILENT,
  };
}

export const CONNECTOR = 'histories';

/** The settings with which the function runs against a history's platform. */
export function settingsOf({ realmPath, settings }: Platform, { pageLimit, leaseSeconds = 60 }: History): Settings {
  return {
    ...OPTION_DEFAULTS,
    baseUrl: ORIGIN,
    authUrl: ORIGIN + realmPath,
    secretId: 'secret',
    table: 'table',
    deliveryStream: 'stream',
    deadLetterBucket: 'bucket',
    connector: CONNECTOR,
    dnsBlocksPath: settings.dnsBlocksPath,
    threatAssetField: settings.threatAssetMember,
    pageLimit,
    names: {},
    leaseSeconds,
    s3PathStyle: false,
  };
}
