/** ministack, a third-party emulator of AWS, with TLS and IAM enforced. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { installPython } from '../../support/parts/cache.ts';
import { command } from '../../support/parts/command.ts';
import type { Part, Suites } from '../launcher.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

export const ACCOUNT = '111122223333';
export const REGION = 'us-east-1';

/** The certificate of the emulator and of the API, and its key. */
export const certificatePath = (folder: string) => join(folder, 'certificate.pem');
export const keyPath = (folder: string) => join(folder, 'key.pem');

export const PARTS = {
  ministack: {
    name: 'ministack',
    version: /^ministack==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))![1]!,
    tools: ['python3', 'openssl'],
    async fetch(folder) {
      await installPython(folder, '--no-deps', '--requirement', REQUIREMENTS);
      await createCertificate(folder);
    },
    async launch(folder, port) {
      await trustCertificate(folder);
      const url = `https://127.0.0.1:${port}`;
      return {
        file: join(folder, 'bin', 'python'),
        args: [join(import.meta.dirname, 'gaps.py')],
        environment: {
          ...clientEnvironment({ url, folder }),
          GATEWAY_PORT: `${port}`,
          BIND_HOST: '127.0.0.1',
          MINISTACK_REGION: REGION,
          MINISTACK_ACCOUNT_ID: ACCOUNT,
          MINISTACK_HOST: '127.0.0.1',
          AUTH: 'true',
          USE_SSL: '1',
          MINISTACK_SSL_CERT: certificatePath(folder),
          MINISTACK_SSL_KEY: keyPath(folder),
          // Its IoT broker would listen on every address of the machine.
          IOT_MTLS_ENABLED: '0',
          // Seconds until the process of an idle function ends, even after the function was
          // deleted.
          LAMBDA_WARM_TTL_SECONDS: '60',
        },
        health: `${url}/_ministack/health`,
      };
    },
  },
} as const satisfies Record<string, Part>;

/** Each plays a story on an empty account, and its tests are the steps of the story. */
export const BOUNDED_SUITES = {
  'outside/deploy/life.deploy.ts': ['ministack'],
  'outside/deploy/reader.deploy.ts': ['ministack'],
  'outside/deploy/runbook.deploy.ts': ['ministack'],
  'outside/deploy/without-cdk.deploy.ts': ['ministack'],
} as const satisfies Suites<keyof typeof PARTS>;

export const SUITES: Suites<keyof typeof PARTS> = {
  ...BOUNDED_SUITES,
  'outside/deploy/upgrade.deploy.ts': ['ministack'],
};

/**
 * Directs the SDK, the CDK and the function to the emulator, with the keys of the account's root
 * user.
 */
export function clientEnvironment({ url, folder }: { readonly url: string; readonly folder: string }) {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_ENDPOINT_URL_S3: url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'root-of-the-emulator',
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-emulator',
    // The SDK and fetch read the first variable, the CDK the second.
    NODE_EXTRA_CA_CERTS: certificatePath(folder),
    AWS_CA_BUNDLE: certificatePath(folder),
  };
}

/** A certificate for this machine's loopback interface. */
async function createCertificate(folder: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyPath(folder)];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await command('openssl', ['req', '-x509', '-days', '3650', ...key, ...names, '-out', certificatePath(folder)], 30);
}

/** Makes this thread trust the certificate. */
export async function trustCertificate(folder: string): Promise<void> {
  setDefaultCACertificates([...getCACertificates('default'), await readFile(certificatePath(folder), 'utf8')]);
}
