/**
 * Real parts in place of local services. Every answer is that of the part, but faults still strike
 * the calls.
 */
import * as firehoseSdk from '@aws-sdk/client-firehose';
import * as s3Sdk from '@aws-sdk/client-s3';
import * as secretsSdk from '@aws-sdk/client-secrets-manager';
import type { Sender } from '../../../../lambda/aws.ts';
import type { CommandInput, LocalService } from '../../../../local/aws/call.ts';
import { type LocalAws, REFUSED_RECORD } from '../../../../local/aws/local-aws.ts';
import { AwsError } from '../../../../local/aws/service.ts';
import type { AwsUnderTest } from './aws-under-test.ts';
import { motoResources } from './moto-resources.ts';
import { realTable } from './real-table.ts';

export interface RealServices {
  readonly services: Partial<LocalAws['services']>;
  /** Functions that read and change the resources of these services. */
  readonly instead: Partial<AwsUnderTest>;
  close(): Promise<void>;
}

export async function realServices(
  local: LocalAws,
  secret: string | undefined,
  urls: { readonly dynamodb: string | undefined; readonly moto: string | undefined },
): Promise<RealServices> {
  const table = urls.dynamodb ? await realTable(urls.dynamodb, local.names.stateTable) : undefined;
  const moto = urls.moto ? await onMoto(local, secret, urls.moto) : undefined;
  return {
    services: { ...moto?.services, ...(table && { dynamodb: table.service }) },
    instead: { ...moto?.instead },
    async close() {
      await table?.close();
      await moto?.close();
    },
  };
}

async function onMoto({ names, services }: LocalAws, secret: string | undefined, url: string): Promise<RealServices> {
  const resources = await motoResources(url, names, secret);
  const clients = motoClients(url);
  let put: Promise<void> = Promise.resolve();
  const secrets = answeredBy(services.secrets, clients.secrets, secretsSdk);
  const read = (bucket: string, prefix: string) => resources.objects(bucket, prefix);
  return {
    services: {
      firehose: refusingRecords(answeredBy(services.firehose, clients.firehose, firehoseSdk)),
      s3: answeredBy(services.s3, clients.s3, s3Sdk),
      secrets: {
        ...secrets,
        async perform(...request) {
          // A value is put without being waited for, but no later call may overtake it.
          await put;
          return secrets.perform(...request);
        },
      },
    },
    instead: {
      secret: {
        arn: resources.secretArn,
        put(value) {
          if (value === undefined) throw new Error('A value can be replaced, not taken away');
          put = put.then(() => resources.putSecret(value));
          put.catch(() => undefined);
        },
      },
      delivered: async () => linesOf(await read(names.bucket, names.prefix)),
      deadLetters: () => read(names.deadLetterBucket, ''),
    },
    async close() {
      await put.catch(() => undefined);
      await resources.close();
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

/** Clients that try once. */
function motoClients(endpoint: string) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials, maxAttempts: 1 };
  return {
    firehose: new firehoseSdk.FirehoseClient(config),
    s3: new s3Sdk.S3Client({ ...config, forcePathStyle: true }),
    secrets: new secretsSdk.SecretsManagerClient(config),
  };
}

/**
 * The service with the answers of a client.
 *
 * @param sdk the package of the client, for its commands
 */
function answeredBy(service: LocalService, client: Sender, sdk: object): LocalService {
  const commands = sdk as Readonly<Record<string, new (input: CommandInput) => object>>;
  return {
    ...service,
    async perform(action, input) {
      try {
        return { output: await client.send(new commands[`${action}Command`]!(input)) };
      } catch (error) {
        const {
          name,
          message,
          $metadata: { httpStatusCode = 0 } = {},
        } = error as secretsSdk.SecretsManagerServiceException;
        throw httpStatusCode > 0 ? new AwsError(httpStatusCode, name, message) : error;
      }
    },
  };
}

/** Sees only the records of a batch that a fault does not refuse. */
function refusingRecords(service: LocalService): LocalService {
  return {
    ...service,
    async perform(action, input, fault) {
      const { failItems } = fault;
      if (!failItems) return service.perform(action, input, fault);

      const records: readonly object[] = input.Records;
      const Records = records.filter((_, index) => !failItems(index));
      const answer = Records.length > 0 ? await service.perform(action, { ...input, Records }, {}) : NOTHING_TAKEN;
      const { RequestResponses } = answer.output as { readonly RequestResponses: readonly object[] };
      const accepted = RequestResponses.values();
      const answers = records.map((_, index) => (failItems(index) ? REFUSED_RECORD : accepted.next().value));
      const FailedPutCount = records.length - Records.length;
      return { output: { ...answer.output, FailedPutCount, RequestResponses: answers } };
    },
  };
}

const NOTHING_TAKEN = { output: { RequestResponses: [] } };

/** Each object ends with a line feed, as each line does. */
function linesOf(objects: ReadonlyMap<string, string>): string[] {
  return [...objects.values()].flatMap(text => {
    if (!text.endsWith('\n')) throw new Error('The last line of a delivered object has no line feed');
    return text.slice(0, -1).split('\n');
  });
}
