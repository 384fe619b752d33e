import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { CallOptions } from '../../../../local/aws/call.ts';
import { type AwsOptions, LOCAL_NAMES, type LocalAws, openLocalAws } from '../../../../local/aws/local-aws.ts';
import { serve } from '../../../aws/http-service.ts';
import { JSON_PROTOCOL, S3_PROTOCOL } from '../../../aws/protocols.ts';
import { PLACE } from '../../../aws/references.ts';
import { leavingItems } from '../../../aws/unprocessed-items.ts';
import { deliveredLines } from '../../../support/delivered-lines.ts';
import { running } from '../../running.ts';
import { realServices } from './real-aws.ts';

/** The services that the function calls, behind HTTP. */
export interface AwsUnderTest extends LocalAws {
  /** Lines delivered so far, in the order of the objects' names. */
  delivered(): Promise<string[]>;
  /** Dead letters by their key. */
  deadLetters(): Promise<Map<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts the services in this process, or in their place, service by service, the real parts of
 * this run behind the same faults.
 */
export async function startAwsUnderTest(options: AwsOptions): Promise<AwsUnderTest> {
  const { dynamodb, moto } = running();
  // Real parts serve all tests of a run, so each test has its own resources.
  const names = dynamodb || moto ? { ...ownNames(), ...options.names } : options.names;
  const local = await openLocalAws({ ...options, ...(names && { names }) });
  const real = await realServices(local, options.secret, { dynamodb: dynamodb?.url, moto: moto?.url });
  const services = { ...local.services, ...real.services };
  const { environment, close } = await serveAll(services, { ...options, faults: local.faults });
  return {
    ...local,
    ...readable(local),
    ...real.instead,
    services,
    environment: { ...local.environment, ...environment },
    async close() {
      await close();
      await real.close();
    },
  };
}

/** Serves each service on a port of its own. */
async function serveAll(services: LocalAws['services'], options: CallOptions) {
  const { dynamodb, firehose, secrets, s3 } = services;
  const served = {
    DYNAMODB: await serve(leavingItems(dynamodb), JSON_PROTOCOL, options),
    FIREHOSE: await serve(firehose, JSON_PROTOCOL, options),
    SECRETS_MANAGER: await serve(secrets, JSON_PROTOCOL, options),
    S3: await serve(s3, S3_PROTOCOL, options),
  };
  const urls = Object.entries(served).map(([name, { url }]) => [`AWS_ENDPOINT_URL_${name}`, url]);
  return {
    environment: {
      ...Object.fromEntries(urls),
      AWS_REGION: PLACE.region,
      // The SDK needs a key, although nobody checks signatures.
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
    close: async () => void (await Promise.all(Object.values(served).map(({ close }) => close()))),
  };
}

function ownNames() {
  const mark = randomUUID().slice(0, 13);
  return Object.fromEntries(
    Object.entries(LOCAL_NAMES).map(([what, name]) => [what, what === 'prefix' ? name : `${name}-${mark}`]),
  );
}

function readable({ deliveredFolder, deadLetterFolder }: LocalAws): Pick<AwsUnderTest, 'delivered' | 'deadLetters'> {
  return {
    delivered: () => deliveredLines(deliveredFolder),
    async deadLetters() {
      const entries = await readdir(deadLetterFolder, { recursive: true, withFileTypes: true });
      const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
      const texts = paths.map(async path => [relative(deadLetterFolder, path), await readFile(path, 'utf8')] as const);
      return new Map((await Promise.all(texts)).toSorted());
    },
  };
}
