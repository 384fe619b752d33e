/** ministack, a third-party emulator of AWS, with TLS and IAM enforced. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fetched, fetchOnce, installPython } from '../../support/parts/cache.ts';
import { freePort, type StartedPart, startPart } from '../../support/parts/start-part.ts';
import { lacking } from '../../support/parts/tools.ts';
import type { Certificate } from './certificate.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
export const VERSION = /^ministack==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))![1]!;

export const ACCOUNT = '111122223333';
export const REGION = 'us-east-1';

/** Missing prerequisites. Undefined when the emulator can be started. */
export function lackingForEmulator(): Promise<string | undefined> {
  return lacking(['python3', 'openssl'], { python3: [3, 10] });
}

/** @throws CommandError */
export function fetchEmulator(cache: string): Promise<Fetched> {
  const pins = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 8);
  return fetchOnce(cache, `ministack-${VERSION}-${pins}`, folder =>
    installPython(folder, '--no-deps', '--requirement', REQUIREMENTS),
  );
}

export interface Emulator extends StartedPart {
  /** Environment that directs the SDK, the CDK and the function to it, with the keys of the account's root user. */
  readonly environment: Readonly<Record<string, string>>;
}

/** @param folder where it keeps the code of functions */
export async function startEmulator(installed: string, folder: string, certificate: Certificate): Promise<Emulator> {
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const environment = {
    AWS_ENDPOINT_URL: url,
    AWS_ENDPOINT_URL_S3: url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'root-of-the-emulator',
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-emulator',
    // The SDK and fetch read the first variable, the CDK the second.
    NODE_EXTRA_CA_CERTS: certificate.path,
    AWS_CA_BUNDLE: certificate.path,
  };
  const started = await startPart({
    file: join(installed, 'bin', 'python'),
    args: [join(import.meta.dirname, 'gaps.py')],
    environment: {
      ...environment,
      GATEWAY_PORT: `${port}`,
      BIND_HOST: '127.0.0.1',
      MINISTACK_REGION: REGION,
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      MINISTACK_HOST: '127.0.0.1',
      AUTH: 'true',
      USE_SSL: '1',
      MINISTACK_SSL_CERT: certificate.path,
      MINISTACK_SSL_KEY: certificate.keyPath,
      // Its IoT broker would listen on every address of the machine.
      IOT_MTLS_ENABLED: '0',
      TMPDIR: folder,
      // Seconds until the process of an idle function ends, even after the function was deleted.
      LAMBDA_WARM_TTL_SECONDS: '60',
    },
    health: `${url}/_ministack/health`,
  });
  return { ...started, environment };
}
