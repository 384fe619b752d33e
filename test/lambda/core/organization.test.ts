/** A change of the API's address or of the client must prove that the state still belongs to the same organization. */
import { describe, expect, test } from '@jest/globals';
import {
  ApiUnavailableError,
  ClientChangedError,
  CursorRefusedError,
  LeaseBusyError,
  OrganizationChangedError,
} from '../../../lambda/core/errors.ts';
import { organizationDigest } from '../../../lambda/core/organization.ts';
import { ofOneRun } from '../../../lambda/source/token.ts';
import { sha256 } from '../../../lambda/system.ts';
import { rejection } from '../support/rejection.ts';
import { retryBudget, steppedClock } from '../support/stepped-clock.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat } from './support/rows.ts';

/** The SIEM has what these pages of assets hold, and then the client is another one. */
async function changed(...pages: string[][]): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', pages).pages('/t', [[]]);
  await harness.run({ only: ['assets', 'threats'] });
  harness.later().organization = 'other';
  return harness;
}

const inventory = (harness: Harness, confirmOrganization = false) =>
  harness.run({ only: ['assets', 'threats'], confirmOrganization });

/** The run stopped before anything was sent or saved. */
async function expectRefused(harness: Harness, why: RegExp): Promise<void> {
  const { failures } = await inventory(harness);
  expect([...failures.keys()]).toEqual(['assets', 'threats']);
  for (const failure of failures.values()) expect(failure).toBeInstanceOf(OrganizationChangedError);
  expect(failures.get('assets')!.message).toMatch(why);
  const writes = harness.journal.begun.filter(step => !step.includes('look-up'));
  expect([harness.lines, writes, harness.table.organization]).toEqual([[], [], 'acme']);
}

async function expectAccepted(harness: Harness, confirmed = false): Promise<void> {
  const { failures } = await inventory(harness, confirmed);
  expect([failures.size, harness.table.organization]).toEqual([0, 'other']);
}

describe('the organization', () => {
  test('is noted in the first run, which has nothing to prove', async () => {
    const harness = new Harness();
    harness.table.organization = undefined;
    harness.api.pages('/a', [[asset('a')]]);
    await harness.runStream('assets');
    expect([harness.table.organization, harness.sent, harness.api.requests.length]).toEqual(['acme', ['upsert a'], 1]);
  });

  test('that is the same as before costs no request and no write', async () => {
    const harness = await changed([asset('a')]);
    harness.organization = 'acme';
    await inventory(harness);
    expect([harness.api.requests.length, harness.journal.begun]).toEqual([2, []]);
  });

  test('is proven by a cursor that the API accepts, of which one row is asked for', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    await expectAccepted(harness);
    expect(harness.api.requests[0]).toMatchObject({ path: '/a', cursor: 'c1', limit: 1 });
    expect(harness.sent).toEqual([]);
  });

  test('is another one when the API refuses the cursor, and then nothing is sent', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', 'c1', new CursorRefusedError('/a')).on('/a', undefined, answer([asset('foreign')], null));
    await expectRefused(harness, /refuses the cursor/);
    expect(harness.api.requests).toHaveLength(1);
  });

  test.each([
    ['as it was sent', asset('a')],
    ['in another version', asset('a', { version: 2 })],
  ])('without a cursor it is proven by a row of the first page that the SIEM has, %s', async (_how, row) => {
    const harness = await changed([asset('a')]);
    harness.api.pages('/a', [[asset('x'), row]]);
    await expectAccepted(harness);
  });

  test('without a cursor it may be proven by another stream', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a')]]);
    await inventory(harness);
    harness.later().organization = 'other';
    harness.api.pages('/a', [[asset('new')]]);
    await expectAccepted(harness);
  });

  test.each([
    ['other rows', [asset('foreign')]],
    ['no rows', []],
  ])('is another one when the first page has %s, and then nothing is sent', async (_what, rows) => {
    const harness = await changed([asset('a')]);
    harness.api.pages('/a', [rows]);
    await expectRefused(harness, /no row that is known/);
  });

  test('of DNS blocks is proven by a block that the window holds', async () => {
    const harness = new Harness();
    const run = () => harness.run({ only: ['dns-blocks'] });
    harness.api.pages('/d', [[dnsBlock('d')]]);
    await run();
    harness.later().organization = 'other';
    harness.api.pages('/d', [[dnsBlock('foreign')]]);
    expect((await run()).failures.get('dns-blocks')).toBeInstanceOf(OrganizationChangedError);
    harness.api.pages('/d', [[dnsBlock('d'), dnsBlock('e')]]);
    expect((await run()).failures.size).toBe(0);
    expect(harness.sent).toEqual(['dns_block e']);
  });

  test('needs no proof while nothing was ever sent', async () => {
    const harness = await changed([]);
    harness.api.pages('/a', [[asset('a')]]);
    await expectAccepted(harness);
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('is not proven by a run of a stream that was never read, while another one was', async () => {
    const harness = await changed([asset('a')]);
    harness.api.pages('/d', [[dnsBlock('foreign')]]);
    const { failures } = await harness.run({ only: ['dns-blocks'] });
    expect([failures.get('dns-blocks')?.name, harness.lines]).toEqual(['OrganizationChangedError', []]);
    expect(harness.table.organization).toBe('acme');
  });

  test('that an operator has confirmed is noted without proof', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', 'c1', new CursorRefusedError('/a')).on('/a', undefined, answer([asset('foreign')], null));
    await expectAccepted(harness, true);
    expect(harness.sent).toEqual(['upsert foreign']);
  });

  test('is neither another one nor proven when the API does not answer', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', 'c1', new ApiUnavailableError('/a', 'it answered 503'));
    const { failures } = await inventory(harness);
    expect([...failures.values()].map(({ name }) => name)).toEqual(['ApiUnavailableError', 'ApiUnavailableError']);
    expect([harness.lines, harness.table.organization]).toEqual([[], 'acme']);
  });

  test('is not confirmed while another run holds the lease', async () => {
    const harness = await changed([asset('a')]);
    harness.occupied = true;
    await expect(inventory(harness, true)).rejects.toThrow(LeaseBusyError);
  });

  test('is named by the address of the API and the client, neither of which can pass for the other', () => {
    const digest = (baseUrl: string, client: string) => organizationDigest(baseUrl, client, sha256);
    const digests = [digest('https://a', 'one'), digest('https://a', 'two'), digest('https://b', 'one')];
    expect(new Set(digests).size).toBe(3);
    expect(digest('https://a', 'one')).toBe(digests[0]);
  });
});

test('a run whose client changes within it stops, because the organization was checked for the first one', async () => {
  const budget = retryBudget(steppedClock());
  let clientId = 'one';
  const container = { token: async () => `for ${clientId}`, client: async () => clientId, discard: () => undefined };
  const tokens = ofOneRun(container);
  expect(await tokens.token(budget)).toBe('for one');
  clientId = 'two';
  expect(await rejection(tokens.token(budget))).toBeInstanceOf(ClientChangedError);
  clientId = 'one';
  // Other streams of the run must stop too.
  expect(await rejection(tokens.token(budget))).toBeInstanceOf(ClientChangedError);
  expect(await ofOneRun(container).token(budget)).toBe('for one');
});
