import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StateFolder } from '../local/start/start-process.ts';
import { certificateAuthority } from '../support/certificate-authority.ts';
import { awsUrlOf, type ConnectProxy, connectProxy, tlsServer } from '../support/connect-proxy.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';
import { type Deployment, deployment } from './support/deployment.ts';
import type { Found } from './support/found.ts';
import { OWN_ENVIRONMENT, processEndpoints } from './support/process-endpoints.ts';
import { startProcess } from './support/shell.ts';

const API = 'api.connector.test';
const AUTH = 'auth.connector.test';
const BASE_URL = `https://${API}`;
const AUTH_URL = `https://${AUTH}/realms/organization`;

/** An operator's machine that reaches the network only through a proxy. */
interface Scene extends AsyncDisposable {
  readonly deployment: Deployment;
  readonly proxy: ConnectProxy;
  /** What the operator has set: the proxy, and the authority of the network. */
  readonly network: Readonly<Record<string, string>>;
  /** The findings of `connectorctl doctor` by check, from a process of its own in that network. */
  doctor(): Promise<Readonly<Record<string, Found>>>;
}

async function scene(): Promise<Scene> {
  const resources = new AsyncDisposableStack();
  const variables = { API_BASE_URL: BASE_URL, AUTH_URL };
  const each = resources.use(await deployment({}, { variables }));
  const folder = resources.use(await temporaryFolder('operator-'));
  const authority = certificateAuthority('Authority of the test');
  const file = path.join(folder.path, 'authority.pem');
  await writeFile(file, authority.certificate);
  const endpoints = resources.use(await processEndpoints(each));
  const region = OWN_ENVIRONMENT.AWS_REGION;
  const issued = authority.issue([
    API,
    AUTH,
    '*.amazonaws.com',
    `*.${region}.amazonaws.com`,
    `*.s3.${region}.amazonaws.com`,
  ]);
  const urlOf = (host: string) => {
    if (host === API) return each.connector.api.url;
    return host === AUTH
      ? new URL(each.connector.environment['AUTH_URL']!).origin
      : awsUrlOf(host, endpoints.environment);
  };
  const servers = resources.use(await tlsServer(() => issued, urlOf));
  const proxy = resources.use(await connectProxy(() => servers.port));
  const network = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: file };
  return {
    deployment: each,
    proxy,
    network,
    async doctor() {
      const { stdout, stderr } = await startProcess(['doctor', '--json'], {
        environment: { ...OWN_ENVIRONMENT, ...network },
      }).ended;
      expect(stderr).toBe('');
      const { checks } = JSON.parse(stdout) as { readonly checks: readonly Found[] };
      return Object.fromEntries(checks.map(check => [check.name, check]));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

describe('a machine with only a proxy to the network', () => {
  let each: Scene;
  beforeAll(async () => {
    each = await scene();
    each.deployment.connector.simulator.populate({ assets: 20, threats: 10, dnsBlocks: 5 });
    expect(await each.deployment.run()).toBe(true);
  });
  afterAll(async () => each[Symbol.asyncDispose]());
  beforeEach(() => void each.proxy.log.splice(0));
  const hosts = () => [...new Set(each.proxy.log)].sort();

  test('doctor reaches the API, the token endpoint and AWS through the proxy of the environment', async () => {
    const found = await each.doctor();
    for (const name of ['aws-account', 'stack', 'settings', 'secret', 'token', 'list-assets'])
      expect(found[name]).toMatchObject({ status: 'ok' });
    const asked = hosts();
    expect(asked).toEqual(expect.arrayContaining([`${API}:443`, `${AUTH}:443`]));
    const services = ['cloudformation', 'dynamodb', 'lambda', 'secretsmanager', 'sts'];
    for (const service of services) expect(asked).toContainEqual(expect.stringMatching(`^${service}\\.`));
  });

  test('npm start reaches the tenant through the proxy, but its own endpoints directly', async () => {
    const { clientId, clientSecret: secret } = each.deployment.connector.simulator.account;
    await using folder = await StateFolder.make();
    const tenant = ['--base-url', BASE_URL, '--auth-url', AUTH_URL, '--client-id', clientId, '--name', 'acme'];
    const ended = await folder.run(tenant, { secret, environment: each.network });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(await folder.delivered('acme')).toHaveLength(30);
    expect(hosts()).toEqual([`${API}:443`, `${AUTH}:443`]);
  });

  test('doctor names a proxy that refuses connections, and the proxy variables of this machine', async () => {
    using _ = each.proxy.refuse(API, 407);
    expect((await each.doctor())['list-assets']).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('the proxy did not connect to it (407)'),
      remedy: expect.stringContaining('Check HTTPS_PROXY and NO_PROXY of this machine'),
    });
  });
});
