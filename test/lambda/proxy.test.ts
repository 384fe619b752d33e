import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import { CONTEXT, configured, only, templateOf } from '../lib/synth.ts';
import {
  type CertificateAuthority,
  certificateAuthority,
  type IssuedCertificate,
} from '../support/certificate-authority.ts';
import { type ConnectProxy, connectProxy, tlsServer } from '../support/connect-proxy.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';
import { type Connector, connector } from './support/connector.ts';
import { type FunctionRun, functionProcess } from './support/function-process.ts';

const API = 'api.connector.test';
const AUTH = 'auth.connector.test';
const REGION = 'eu-west-1';
const HOSTS = [API, AUTH, `*.${REGION}.amazonaws.com`, `*.s3.${REGION}.amazonaws.com`];

/** A network whose only way out is a proxy. Names are resolved behind it alone, and an authority of its own signs every certificate. */
interface Scene extends AsyncDisposable {
  readonly connector: Connector;
  readonly proxy: ConnectProxy;
  readonly authority: CertificateAuthority;
  /** Has the servers present another certificate. */
  present(certificate: IssuedCertificate): Promise<void>;
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
  const serve = (certificate: IssuedCertificate) => tlsServer(certificate, host => urlOf(each, host));
  let servers = await serve(authority.issue(HOSTS));
  resources.defer(() => servers[Symbol.asyncDispose]());
  const proxy = resources.use(await connectProxy(host => (isKnown(host) ? servers.port : undefined)));
  const authUrl = `https://${AUTH}${each.platform.realmPath}`;
  const given = { baseUrl: `https://${API}`, authUrl, proxyUrl: proxy.url, caCertificates };
  return {
    connector: each,
    proxy,
    authority,
    async present(certificate) {
      await servers[Symbol.asyncDispose]();
      servers = await serve(certificate);
    },
    async run(options = {}, milliseconds = 900_000) {
      const outdir = path.join(folder.path, `cdk.out-${Object.keys(options).join('-')}`);
      const { module, variables } = deployment({ ...given, ...options }, outdir);
      return functionProcess(module, { ...LAMBDA, ...resolved(variables, each) }, [{}], milliseconds);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const isKnown = (host: string) => host === API || host === AUTH || host.endsWith('.amazonaws.com');

/** The local server that stands for a host. A bucket's host name becomes a path, which is all that the local S3 knows. */
function urlOf({ environment, api }: Connector, host: string): string {
  if (host === API) return api.url;
  if (host === AUTH) return new URL(environment['AUTH_URL']!).origin;
  const [service = '', bucket] = host.slice(0, -`.${REGION}.amazonaws.com`.length).split('.').toReversed();
  const name = service === 'secretsmanager' ? 'SECRETS_MANAGER' : service.toUpperCase();
  const url = environment[`AWS_ENDPOINT_URL_${name}`]!;
  return bucket === undefined ? url : `${url}/${bucket}`;
}

/** Variables that Lambda itself gives each function. */
const LAMBDA = { AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };

/** What the CDK writes: the folder that is uploaded as the function's code, and the variables of the template. */
function deployment(options: Readonly<Record<string, unknown>>, outdir: string) {
  const context = { ...CONTEXT, 'aws:cdk:bundling-stacks': ['**'] };
  const app = new App({ context, outdir, analyticsReporting: false, builtinCloudFormationValidation: false });
  const stack = new ConnectorStack(app, configured(options));
  const { Environment } = only(templateOf(stack), 'AWS::Lambda::Function') as {
    readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  };
  const [asset = ''] = readdirSync(outdir).filter(name => existsSync(path.join(outdir, name, 'index.mjs')));
  const code = path.join(outdir, asset);
  // Lambda unpacks the code in /var/task.
  const variables = Object.entries(Environment.Variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/^\/var\/task(?=\/)/, code) : value,
  ]);
  return { module: pathToFileURL(path.join(code, 'index.mjs')), variables: Object.fromEntries(variables) };
}

/** Names that are known at deployment only are those of the local resources. */
function resolved(variables: Readonly<Record<string, unknown>>, { environment }: Connector): Record<string, string> {
  const all = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : environment[name]!,
  ]);
  return Object.fromEntries(all);
}

describe('the deployed bundle in a network that is left through a proxy only', () => {
  let each: Scene;
  beforeAll(async () => {
    each = await scene();
    each.connector.platform.populate({ assets: 60, threats: 40, dnsBlocks: 0 });
  });
  afterAll(async () => each[Symbol.asyncDispose]());
  const hosts = () => [...new Set(each.proxy.log.splice(0))].sort();

  test('reaches the API, the token endpoint and AWS through the proxy, with certificates of an authority of its own', async () => {
    each.connector.platform.put('assets', { id: 'large', text: 'x'.repeat(3_000_000) });
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
});
