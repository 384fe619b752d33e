import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { Agent, get } from 'node:https';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectionError } from '../../lambda/core/connection-error.ts';
import { NOTHING_IS_LOST } from '../../lambda/core/errors.ts';
import { withProxyErrors } from '../../lambda/proxy.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import { proxyEnvironment } from '../../lib/function/proxy.ts';
import { CONTEXT, configured, createApp, synthesize } from '../stack/synth.ts';
import { only } from '../stack/template.ts';
import {
  type CertificateAuthority,
  certificateAuthority,
  EXPIRED,
  type IssuedCertificate,
} from '../support/certificate-authority.ts';
import { awsUrlOf, type ConnectProxy, connectProxy, tlsServer } from '../support/connect-proxy.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { type FunctionRun, functionProcess } from '../support/function/function-process.ts';
import { rejection } from '../support/function/rejection.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';

const API = 'api.connector.test';
const AUTH = 'auth.connector.test';
const REGION = 'eu-west-1';
const HOSTS = [API, AUTH, `*.${REGION}.amazonaws.com`, `*.s3.${REGION}.amazonaws.com`];

/**
 * A network whose only way out is a proxy. Names are resolved behind it alone, and an authority of
 * its own signs every certificate.
 */
interface Scene extends AsyncDisposable {
  readonly connector: Connector;
  readonly proxy: ConnectProxy;
  readonly authority: CertificateAuthority;
  /** Has the server of a host present another certificate, until disposed. */
  present(host: string, certificate: IssuedCertificate): Disposable;
  /**
   * Runs the bundle while the proxy answers with this status for a host.
   *
   * @returns what the function rejects with
   */
  runRefused(host: string, status: number): Promise<string>;
  /** Runs the bundle of a deployment with the variables of its template alone. */
  run(options?: Readonly<Record<string, unknown>>, milliseconds?: number): Promise<FunctionRun>;
}

async function scene(): Promise<Scene> {
  const resources = new AsyncDisposableStack();
  const each = resources.use(await connector());
  const folder = resources.use(await temporaryFolder('proxy-'));
  const authority = certificateAuthority('Authority of the test');
  const caCertificates = path.join(folder.path, 'authority of the test.pem');
  await writeFile(caCertificates, authority.certificate);
  const presented = new Map<string, IssuedCertificate>();
  const issued = authority.issue(HOSTS);
  const certificateOf = (host: string) => presented.get(host) ?? issued;
  const servers = resources.use(await tlsServer(certificateOf, host => urlOf(each, host)));
  const proxy = resources.use(await connectProxy(host => (isKnown(host) ? servers.port : undefined)));
  const authUrl = `https://${AUTH}${each.simulator.realmPath}`;
  const given = { baseUrl: `https://${API}`, authUrl, proxyUrl: proxy.url, caCertificates };
  const code = bundledCode(given, path.join(folder.path, 'cdk.out'));
  const run: Scene['run'] = async (options = {}, milliseconds = 900_000) => {
    const deployed = deployedVariables({ ...given, ...options }, code);
    const variables = { ...LAMBDA, ...resolved(deployed, each) };
    return functionProcess(pathToFileURL(path.join(code, 'index.mjs')), variables, [{}], milliseconds);
  };
  return {
    connector: each,
    proxy,
    authority,
    present(host, certificate) {
      presented.set(host, certificate);
      return { [Symbol.dispose]: () => void presented.delete(host) };
    },
    run,
    async runRefused(host, status) {
      using _ = proxy.refuse(host, status);
      return errorOf((await run({}, SHORT_MILLISECONDS)).outcomes);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const isKnown = (host: string) => host === API || host === AUTH || host.endsWith('.amazonaws.com');

/** The local server that stands for a host. */
function urlOf({ environment, api }: Connector, host: string): string {
  if (host === API) return api.url;
  return host === AUTH ? new URL(environment['AUTH_URL']!).origin : awsUrlOf(host, environment);
}

/** A connection to an address of another network may get no answer. */
const TIMEOUT_MILLISECONDS = 300;

/**
 * Time for an invocation that fails: failures that may pass by themselves are retried until it is
 * over.
 */
const SHORT_MILLISECONDS = 4_000;

function errorOf([outcome]: FunctionRun['outcomes']): string {
  return outcome && 'error' in outcome ? outcome.error : JSON.stringify(outcome);
}

/** Variables that Lambda itself gives each function. */
const LAMBDA = { AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };

/**
 * The folder of the code that the CDK uploads. It is the same for every option but
 * `caCertificates`.
 */
function bundledCode(options: Readonly<Record<string, unknown>>, outdir: string): string {
  const app = createApp({ outdir, context: { ...CONTEXT, 'aws:cdk:bundling-stacks': ['**'] } });
  new ConnectorStack(app, configured(options));
  const [asset = ''] = readdirSync(outdir).filter(name => existsSync(path.join(outdir, name, 'index.mjs')));
  return path.join(outdir, asset);
}

/** The variables of the template, which name the place where Lambda unpacks the code. */
function deployedVariables(options: Readonly<Record<string, unknown>>, code: string): Record<string, unknown> {
  const { Environment } = only(synthesize(options), 'AWS::Lambda::Function') as {
    readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  };
  const variables = Object.entries(Environment.Variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/^\/var\/task(?=\/)/, code) : value,
  ]);
  return Object.fromEntries(variables);
}

/** Names that are known at deployment only are those of the local resources. */
function resolved(variables: Readonly<Record<string, unknown>>, { environment }: Connector): Record<string, string> {
  const all = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : environment[name]!,
  ]);
  return Object.fromEntries(all);
}

describe('the deployed bundle in a network with only a proxy to the outside', () => {
  let each: Scene;
  beforeAll(async () => {
    each = await scene();
    each.connector.simulator.populate({ assets: 60, threats: 40, dnsBlocks: 0 });
  });
  afterAll(async () => each[Symbol.asyncDispose]());
  const hosts = () => [...new Set(each.proxy.log.splice(0))].sort();

  test('the bundle reaches API, token endpoint and AWS through a proxy with a private certificate authority', async () => {
    each.connector.simulator.put('assets', { id: 'large', text: 'x'.repeat(3_000_000) });
    const run = await each.run();
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.outcomes).toMatchObject([{ streams: { assets: { rows: 61, caughtUp: true }, threats: { rows: 40 } } }]);
    const bucket = each.connector.environment['DEAD_LETTER_BUCKET'];
    // The row of 3 MB is a dead letter, for which the SDK asks S3 first whether it may send it.
    const aws = ['dynamodb', 'firehose', 'secretsmanager', `${bucket}.s3`].map(
      name => `${name}.${REGION}.amazonaws.com`,
    );
    expect(hosts()).toEqual([API, AUTH, ...aws].map(host => `${host}:443`).sort());
  });

  test('the bundle reaches the hosts of noProxy and their subdomains without the proxy', async () => {
    const { outcomes } = await each.run({ noProxy: ['connector.test'] }, SHORT_MILLISECONDS);
    // No resolver knows them: a request that leaves directly fails.
    expect(errorOf(outcomes)).toMatch(/ENOTFOUND|EAI_AGAIN/);
    const asked = hosts();
    expect(asked).toContain(`dynamodb.${REGION}.amazonaws.com:443`);
    expect(asked.filter(host => host.includes('connector.test'))).toEqual([]);
  });

  test.each([
    [403, 'Have the proxy allow and reach the host, or name the host in noProxy.'],
    [407, 'Have the proxy admit the function without a password.'],
  ])(
    'the error about a proxy that answers CONNECT with %i says what is safe and what to do',
    async (status, advice) => {
      const refused = (host: string) => each.runRefused(host, status);
      const what = `the proxy did not connect to it (${status}). ${NOTHING_IS_LOST}`;
      expect(await refused(API)).toContain(`ProxyError: /v1/assets could not be read: ${what}. ${advice}`);
      expect(await refused(AUTH)).toContain(`ProxyError: The token endpoint could not be read: ${what}. ${advice}`);
      const table = await refused(`dynamodb.${REGION}.amazonaws.com`);
      expect(table).toMatch(/^StateError: The state table could not .*The checkpoint was not moved/);
      expect(table).toContain(`AWS was not reached: the proxy did not connect to it (${status}). ${advice}`);
      const secret = await refused(`secretsmanager.${REGION}.amazonaws.com`);
      expect(secret).toContain('CredentialsError: The secret with the client credentials could not be read.');
      expect(secret).toContain(
        `Do not fill the secret: it may be right. AWS was not reached: the proxy did not connect`,
      );
    },
  );

  test('the bundle retries when the proxy cannot connect to a host, and the error names the proxy', async () => {
    const error = await each.runRefused(API, 502);
    expect(error).toContain(
      `the proxy did not connect to it (502). ${NOTHING_IS_LOST}. Have the proxy allow and reach the host`,
    );
    expect(each.proxy.log.splice(0).filter(host => host === `${API}:443`).length).toBeGreaterThan(2);
  });

  test('the error about an unreachable proxy names the proxy and does not blame AWS', async () => {
    const { outcomes } = await each.run({ proxyUrl: 'http://127.0.0.1:1' }, SHORT_MILLISECONDS);
    const advice = 'Check proxyUrl, the proxy, and the subnets and security groups of the function.';
    expect(errorOf(outcomes)).toContain(
      `AWS was not reached: the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED). ${advice}`,
    );
  });

  test.each([
    [
      'of an unknown authority',
      () => certificateAuthority('Another authority').issue(HOSTS),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['that has expired', () => each.authority.issue(HOSTS, EXPIRED), 'CERT_HAS_EXPIRED'],
  ])(
    'a certificate %s is refused at once, and the error names the option for private authorities',
    async (_, issue, code) => {
      const presented = async (host: string) => {
        using _presented = each.present(host, issue());
        return errorOf((await each.run({}, SHORT_MILLISECONDS)).outcomes);
      };
      const what = `the certificate of its server is not accepted (${code})`;
      const advice = 'If its authority is your own';
      expect(await presented(API)).toContain(
        `CertificateError: /v1/assets could not be read: ${what}. ${NOTHING_IS_LOST}. ${advice}`,
      );
      const endpoint = 'CertificateError: The token endpoint could not be read';
      expect(await presented(AUTH)).toContain(`${endpoint}: ${what}. ${NOTHING_IS_LOST}. ${advice}`);
      each.proxy.log.splice(0);
      expect(await presented(`dynamodb.${REGION}.amazonaws.com`)).toContain(`AWS was not reached: ${what}. ${advice}`);
      expect(each.proxy.log.filter(host => host.startsWith('dynamodb'))).toHaveLength(1);
    },
  );
});

/**
 * The forms that the stack writes into NO_PROXY must mean the same to both clients of the function.
 */
describe('NO_PROXY as the stack writes it', () => {
  const REACHED = ['example.test', 'api.example.test', 'a.b.example.test', '10.1.2.3', '127.0.0.1', 'localhost'];
  const PROXIED = ['notexample.test', 'test', 'example.test.other', '10.1.2.30'];

  test.each([...REACHED.map(host => [host, 0] as const), ...PROXIED.map(host => [host, 1] as const)])(
    'fetch and https.Agent read NO_PROXY in the same way for %s (%i requests through the proxy)',
    async (host, count) => {
      await using proxy = await connectProxy(() => undefined);
      const { HTTPS_PROXY, NO_PROXY } = proxyEnvironment({
        proxyUrl: proxy.url,
        noProxy: ['Example.test', '10.1.2.3'],
      });
      const environment = { HTTPS_PROXY, NO_PROXY };
      const url = `https://${host}:1`;
      const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
      const restore = setGlobalProxyFromEnv(environment);
      await rejection(fetch(url.replace(/:1$/, ':444'), { signal }));
      restore();
      expect(proxy.log).toHaveLength(count);
      await rejection(
        new Promise((_, reject) =>
          get(url, { agent: new Agent({ proxyEnv: environment }), signal }).on('error', reject),
        ),
      );
      expect(proxy.log).toHaveLength(2 * count);
    },
  );
});

describe('a proxy that cannot be reached', () => {
  const named = async (proxyUrl: string) => {
    const proxy = { HTTPS_PROXY: proxyUrl };
    const restore = setGlobalProxyFromEnv(proxy);
    const error = await rejection(withProxyErrors(() => fetch('https://api.example.test'), proxy)());
    restore();
    return connectionError(error)?.problem;
  };

  test('the error of fetch names an unreachable proxy, even if its name has several addresses or none', async () => {
    expect(await named('http://127.0.0.1:1')).toBe('the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED)');
    expect(await named('http://localhost:1')).toBe('the proxy localhost:1 cannot be reached (ECONNREFUSED)');
    expect(await named('http://p.example.test:1')).toMatch(/^the proxy p\.example\.test:1 cannot be reached \(E\w+\)$/);
  });
});
