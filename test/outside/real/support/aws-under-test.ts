import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LOCAL_NAMES } from '../../../../local/aws/local-aws.ts';
import { type AwsOptions, type Endpoints, startAws } from '../../../aws/endpoints.ts';
import { deliveredLines } from '../../../support/delivered-lines.ts';
import { running } from '../../running.ts';
import { replaceByReal } from './real-aws.ts';

export interface AwsUnderTest extends Endpoints {
  /** Lines delivered so far, in the order of the objects' names. */
  delivered(): Promise<string[]>;
  /** Dead letters by their key. */
  deadLetters(): Promise<Map<string, string>>;
}

/** The embedded endpoints, or in their place, service by service, the real parts of this run behind the same faults. */
export async function startAwsUnderTest(options: AwsOptions): Promise<AwsUnderTest> {
  const { dynamodb, moto } = running();
  const real = dynamodb !== undefined || moto !== undefined;
  // Real parts serve all tests of a run, so each test has its own resources.
  const embedded = await startAws({
    tableInMemory: true,
    ...options,
    ...(real && { names: { ...ownNames(), ...options.names } }),
  });
  const readable = { ...embedded, ...folders(embedded) };
  return real ? replaceByReal(readable, options, { dynamodb: dynamodb?.url, moto: moto?.url }) : readable;
}

function ownNames() {
  const mark = randomUUID().slice(0, 13);
  return Object.fromEntries(
    Object.entries(LOCAL_NAMES).map(([what, name]) => [what, what === 'prefix' ? name : `${name}-${mark}`]),
  );
}

function folders({ deliveredFolder, deadLetterFolder }: Endpoints): Pick<AwsUnderTest, 'delivered' | 'deadLetters'> {
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
