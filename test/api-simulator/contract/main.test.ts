import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SimulatorServer, startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type Ended, run } from '../../support/parts/command.ts';
import { createTenant } from '../tenant.ts';

const { simulator } = createTenant();
let server: SimulatorServer;

beforeAll(async () => {
  simulator.populate({ assets: 150, threats: 150, dnsBlocks: 150 });
  server = await startSimulatorServer({ simulator });
});

afterAll(() => server.close());

function contract(CLIENT_SECRET: string, ...flags: string[]): Promise<Ended> {
  const { baseUrl, authUrl } = server;
  const tenant = ['--base-url', baseUrl, '--auth-url', authUrl, '--client-id', simulator.account.clientId];
  const file = 'test/api-simulator/contract/main.ts';
  const environment = { ...process.env, CLIENT_SECRET };
  return run(process.execPath, ['--no-warnings', file, ...tenant, ...flags], 60, { environment });
}

test('each rule of the contract is listed with its result, and a broken rule with its reason', async () => {
  simulator.setFaults([{ kind: 'status', endpoint: 'related', status: 500 }]);
  const { status, stdout } = await contract(simulator.account.clientSecret, '--dns-blocks-path', '/v1/dns-blocks');
  simulator.setFaults([]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^holds +lists-1 +Every list response/m);
  expect(stdout).toMatch(/^broken +single-3 .*\n +The related assets answered 500\.\n/m);
  expect(stdout).toMatch(/^not seen +auth-8 .*\n +five minutes: run with --wait-for-expiry\n/m);
  expect(stdout).toMatch(/\d+ holds, 4 broken, 1 not seen\n$/);
  expect(simulator.requests.get('token')).toBe(1);
});

test('the output of the contract command does not contain the secret, even if the API refuses it', async () => {
  const { status, stdout, stderr } = await contract('canary-secret');
  expect(status).toBe(1);
  expect(stdout).toContain('The token endpoint answered 401');
  expect(stdout + stderr).not.toContain('canary-secret');
});

test('the contract command refuses a missing secret or plain http to another machine before the first request', async () => {
  const before = new Map(simulator.requests);
  const { status, stdout, stderr } = await contract('', '--base-url', 'http://api.example');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('must begin with https://');
  expect(stderr).toContain('the client secret is missing');
  expect(simulator.requests).toEqual(before);
});
