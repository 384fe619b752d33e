/** The bundle as synthesized, between Keycloak, DynamoDB Local, moto and the embedded API simulator, which trusts Keycloak. */
import { randomUUID } from 'node:crypto';
import { createRandom } from '../../../../local/api-simulator/random.ts';
import {
  type ApiSimulator,
  createSimulator,
  type SimulatorOptions,
} from '../../../../local/api-simulator/simulator.ts';
import { type DeliveredEvent, parseEvent } from '../../../../local/aws/delivered.ts';
import { LOCAL_NAMES } from '../../../../local/aws/endpoints.ts';
import { type FunctionRun, functionProcess } from '../../../support/function/function-process.ts';
import { type TamperedApi, tamperedApi } from '../../../support/function/tampered-api.ts';
import { check, type Result } from '../../../support/promise.ts';
import { receive } from '../../../support/siem.ts';
import { type Running, running } from '../running.ts';
import { motoResources } from './moto-resources.ts';
import { realTable } from './real-table.ts';
import { createRealm, type Realm } from './realm.ts';
import { type SiemQueue, siemQueue } from './siem-queue.ts';

export interface Ports extends AsyncDisposable {
  readonly simulator: ApiSimulator;
  readonly api: TamperedApi;
  readonly realm: Realm;
  /** A process of the function, which is invoked with each payload in turn. */
  run(payloads?: readonly unknown[], milliseconds?: number): Promise<FunctionRun>;
  putSecret(value: string): Promise<void>;
  lines(): Promise<string[]>;
  events(): Promise<DeliveredEvent[]>;
  /** The SIEM's way in. */
  queue(): Promise<SiemQueue>;
  /** Lines of one object. */
  object(key: string): Promise<string[]>;
  /** Compares the SIEM's copy with what the API would answer. */
  result(): Promise<Result>;
  /** Assets that exist. Some generated assets are removed before anybody reads them, and are not sent. */
  liveAssets(): number;
  /** Every item of the table but the lease. */
  items(): Promise<unknown[]>;
}

export interface PortsOptions {
  readonly simulator?: Partial<SimulatorOptions>;
  readonly environment?: Readonly<Record<string, string>>;
}

type AllRunning = Required<Running>;

export async function ports(options: PortsOptions = {}): Promise<Ports> {
  const parts = running() as AllRunning;
  const mark = randomUUID().slice(0, 13);
  const names = {
    ...LOCAL_NAMES,
    stateTable: `state-${mark}`,
    bucket: `events-${mark}`,
    deadLetterBucket: `dead-letters-${mark}`,
  };
  Object.assign(names, { secret: `credentials-${mark}`, deliveryStream: `delivery-${mark}` });
  const realm = await createRealm(parts.keycloak);
  const [moto, table] = await Promise.all([
    motoResources(parts.moto.url, names, realm.secret),
    realTable(parts.dynamodb.url, names.stateTable),
  ]);
  const settings = { clock: Date.now, random: createRandom(42), trustedIssuer: realm.authUrl, ...options.simulator };
  const simulator = createSimulator(settings);
  const api = await tamperedApi(simulator);
  const environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: parts.moto.url,
    AWS_ENDPOINT_URL_DYNAMODB: parts.dynamodb.url,
    STATE_TABLE: names.stateTable,
    CREDENTIALS_SECRET_ID: moto.secretArn,
    DELIVERY_STREAM: names.deliveryStream,
    DEAD_LETTER_BUCKET: names.deadLetterBucket,
    API_BASE_URL: api.url,
    AUTH_URL: realm.authUrl,
    CONNECTOR_NAME: 'acme',
    DNS_BLOCKS_PATH: simulator.settings.dnsBlocksPath,
    NODE_OPTIONS: parts.bundle.nodeOptions,
    ...options.environment,
  };
  const lines = async () => [...(await moto.objects(names.bucket, names.prefix)).values()].flatMap(splitLines);
  return {
    simulator,
    api,
    realm,
    run: (payloads, milliseconds) => functionProcess(new URL(parts.bundle.module), environment, payloads, milliseconds),
    putSecret: moto.putSecret,
    lines,
    events: async () => (await lines()).map(line => parseEvent(line)),
    queue: () => siemQueue(parts.moto.url, names.bucket, names.prefix),
    object: async key => splitLines((await moto.objects(names.bucket, key)).get(key)!),
    async result() {
      const events = (await lines()).map(line => receive(line, 0));
      return check({ events, truth: [...simulator.truthText()].join(''), completedEpochs: new Set() });
    },
    liveAssets: () => [...simulator.truth().assets.values()].filter(row => JSON.parse(row).deleted !== true).length,
    items: async () => (await table.items()).filter(item => item['sk']?.S !== 'lease'),
    async [Symbol.asyncDispose]() {
      await Promise.all([api, realm].map(each => each[Symbol.asyncDispose]()));
      await Promise.all([moto.close(), table.close()]);
    },
  };
}

function splitLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}
