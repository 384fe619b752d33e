import { openObjectStore } from '../../../../local/aws/object-store.ts';
import type { AwsOptions } from '../../../aws/endpoints.ts';
import { localJsonService } from '../../../aws/json-service.ts';
import { createS3 } from '../../../aws/s3.ts';
import type { AwsUnderTest } from './aws-under-test.ts';
import { forward } from './forward.ts';
import { motoResources } from './moto-resources.ts';
import { realFirehose } from './real-firehose.ts';
import { realTable } from './real-table.ts';

/**
 * Replaces embedded services by real ones. Between them and the caller is our wire, which counts the
 * calls and loses what a test asks it to lose; every answer is that of the real part.
 */
export async function replaceByReal(
  embedded: AwsUnderTest,
  options: AwsOptions,
  urls: { readonly dynamodb: string | undefined; readonly moto: string | undefined },
): Promise<AwsUnderTest> {
  const closers: (() => Promise<void>)[] = [];
  let under = embedded;
  if (urls.dynamodb) {
    const table = await realTable(urls.dynamodb, embedded.names.stateTable);
    closers.push(table.close);
    const environment = { ...under.environment, AWS_ENDPOINT_URL_DYNAMODB: await embedded.serve(table.service) };
    under = { ...under, environment };
  }
  if (urls.moto) {
    const moto = await onMoto(under, options, urls.moto);
    closers.push(moto.stop);
    under = { ...under, ...moto.instead, environment: { ...under.environment, ...moto.environment } };
  }
  return {
    ...under,
    async close() {
      await embedded.close();
      await Promise.all(closers.map(close => close()));
    },
  };
}

async function onMoto(under: AwsUnderTest, options: AwsOptions, url: string) {
  const { names } = under;
  const resources = await motoResources(url, names, options.secret);
  let put: Promise<void> = Promise.resolve();
  const secrets = localJsonService(under.services.secrets, 'secretsmanager', '1.1');
  const s3 = createS3(await openObjectStore(options.directory, []));
  const environment = {
    AWS_ENDPOINT_URL_FIREHOSE: await under.serve(realFirehose(url)),
    AWS_ENDPOINT_URL_S3: await under.serve({ ...s3, perform: (_, request) => forward(url, request) }),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: await under.serve({
      ...secrets,
      async perform(_, request) {
        // A value is put without being waited for; no later call may overtake it.
        await put;
        return forward(url, request);
      },
    }),
  };
  const read = (bucket: string, prefix: string) => resources.objects(bucket, prefix);
  const instead: Partial<AwsUnderTest> = {
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
  };
  return { environment, instead, stop: () => put.catch(() => undefined).then(() => resources.close()) };
}

/** Each object ends with a line feed, as each line does. */
function linesOf(objects: ReadonlyMap<string, string>): string[] {
  return [...objects.values()].flatMap(text => {
    if (!text.endsWith('\n')) throw new Error('The last line of a delivered object has no line feed');
    return text.slice(0, -1).split('\n');
  });
}
