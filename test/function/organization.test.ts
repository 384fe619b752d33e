/**
 * A change of the API's address or of the client must prove that the state still belongs to the
 * same organization, so that another organization's rows are never sent as this one's, whatever its
 * cursors, ids and clients look like.
 */
import { describe, expect, test } from '@jest/globals';
import {
  ApiUnavailableError,
  ClientChangedError,
  CursorRefusedError,
  OrganizationChangedError,
} from '../../lambda/core/errors.ts';
import { changedOrganizationParts, organizationDigest } from '../../lambda/core/organization.ts';
import { tokenSourceOfRun } from '../../lambda/source/token.ts';
import { sha256 } from '../../lambda/system.ts';
import { answerJson } from '../../local/incidents/tampered-api.ts';
import { Harness } from '../support/core/harness.ts';
import { answer, asset, dnsBlock, threat } from '../support/core/rows.ts';
import { connector } from '../support/function/connector.ts';
import { httpHarness } from '../support/function/http-harness.ts';
import { rejection } from '../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../support/function/stepped-clock.ts';

/** The SIEM has what these pages of assets hold, and then the client is another one. */
async function changed(...pages: string[][]): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', pages).pages('/t', [[]]);
  await harness.run({ only: ['assets', 'threats'] });
  harness.later().organization = 'other';
  return harness;
}

const inventory = (harness: Harness, confirmOrganization?: string) =>
  harness.run({ only: ['assets', 'threats'], confirmOrganization });

/** Whether a run of the inventory is refused, or what it notes as its organization. */
async function outcomeOf(harness: Harness, confirmOrganization?: string) {
  const { failures } = await inventory(harness, confirmOrganization);
  const names = new Set([...failures.values()].map(({ name }) => name));
  const { lines, table, journal } = harness;
  const isUntouched = lines.length === 0 && journal.begun.every(step => step.includes('look-up'));
  if (failures.size === 0) return `accepted: ${table.organization}`;
  return `${[...names]}, ${isUntouched ? 'nothing' : 'something'} was sent or saved: ${table.organization}`;
}

const REFUSED = 'OrganizationChangedError, nothing was sent or saved: acme';
const ACCEPTED = 'accepted: other';

describe('the organization', () => {
  test('the first run saves the organization without a proof', async () => {
    const harness = new Harness();
    harness.table.organization = undefined;
    harness.api.pages('/a', [[asset('a')]]);
    await harness.runStream('assets');
    expect(harness.table.organization).toBe('acme');
    expect(harness.sent).toEqual(['upsert a']);
    expect(harness.api.requests).toHaveLength(1);
  });

  test('an accepted cursor does not prove the organization, because a cursor may contain only a position', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', undefined, answer([asset('foreign')], null));
    expect(await outcomeOf(harness)).toBe(REFUSED);
    expect(harness.api.requests[0]).toMatchObject({ path: '/a', cursor: 'c1', limit: 1 });
  });

  test('the organization counts as changed when the API refuses the cursor, even if it lists a sent row', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', 'c1', new CursorRefusedError('/a')).on('/a', undefined, answer([asset('a')], null));
    expect(await outcomeOf(harness)).toBe(REFUSED);
    expect(harness.api.requests).toHaveLength(1);
  });

  test('a row of the first page proves the organization if it was sent with the same content', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', undefined, answer([asset('x'), asset('a')], 'c1'));
    expect(await outcomeOf(harness)).toBe(ACCEPTED);
  });

  test('a row with changed content does not prove the organization, because ids may exist in every tenant', async () => {
    const harness = await changed([asset('a')]);
    harness.api.pages('/a', [[asset('a', { version: 2 })]]);
    expect(await outcomeOf(harness)).toBe(REFUSED);
  });

  test.each([
    [9, 'proves', ACCEPTED],
    [10, 'does not prove', REFUSED],
  ])(
    'a known row after %i pages of unknown rows %s the organization, because ten pages are read',
    async (before, _what, outcome) => {
      const harness = await changed([asset('a')]);
      const others = Array.from({ length: before }, (_, index) => [asset(`new ${index}`)]);
      harness.api.pages('/a', [...others, [asset('a')]]);
      expect(await outcomeOf(harness)).toBe(outcome);
    },
  );

  test('a row of one stream proves the organization for all streams', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a')]]);
    await inventory(harness);
    harness.later().organization = 'other';
    harness.api.pages('/a', [[asset('new')]]);
    expect(await outcomeOf(harness)).toBe(ACCEPTED);
  });

  test('DNS blocks do not prove the organization, because they have no row states', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('d')]]);
    await harness.run({ only: ['dns-blocks'] });
    harness.later().organization = 'other';
    const { failures } = await harness.run({ only: ['dns-blocks'] });
    expect(failures.get('dns-blocks')).toBeInstanceOf(OrganizationChangedError);
    expect((await harness.run({ only: ['dns-blocks'], confirmOrganization: 'other' })).failures.size).toBe(0);
  });

  test('the organization needs no proof before the first event is sent', async () => {
    const harness = await changed([]);
    harness.api.pages('/a', [[asset('a')]]);
    expect(await outcomeOf(harness)).toBe(ACCEPTED);
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('a run for a new stream does not prove the organization if another stream has been read', async () => {
    const harness = await changed([asset('a')]);
    harness.api.pages('/d', [[dnsBlock('foreign')]]);
    const { failures } = await harness.run({ only: ['dns-blocks'] });
    expect(failures.get('dns-blocks')?.name).toBe('OrganizationChangedError');
    expect(harness.lines).toEqual([]);
    expect(harness.table.organization).toBe('acme');
  });

  test('an organization that an operator has confirmed is saved without a proof', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', 'c1', new CursorRefusedError('/a')).on('/a', undefined, answer([asset('foreign')], null));
    expect(await outcomeOf(harness, 'other')).toBe(ACCEPTED);
    expect(harness.sent).toEqual(['upsert foreign']);
  });

  test.each([
    ['has changed again', 'third'],
    ['has changed back', 'acme'],
  ])('an organization that %s after an operator has confirmed a change is refused', async (_how, current) => {
    const harness = await changed([asset('a')]);
    harness.organization = current;
    const outcome = 'OutdatedConfirmationError, nothing was sent or saved: acme';
    expect(await outcomeOf(harness, 'other')).toBe(outcome);
  });

  test('the organization is neither proven nor changed when the API does not answer', async () => {
    const harness = await changed([asset('a')], [asset('b')]);
    harness.api.on('/a', 'c1', new ApiUnavailableError('/a', 'it answered 503'));
    expect(await outcomeOf(harness)).toBe('ApiUnavailableError, nothing was sent or saved: acme');
  });

  test('the organization is identified by token endpoint, base URL and client, without trailing slashes', () => {
    const digest = (tokenEndpoint: string, baseUrl: string, clientId: string) =>
      organizationDigest({ tokenEndpoint, baseUrl, clientId }, sha256);
    const first = digest('https://t/realms/a', 'https://a', 'one');
    const others = [
      digest('https://t/realms/b', 'https://a', 'one'),
      digest('https://t/realms/a', 'https://b', 'one'),
      digest('https://t/realms/a', 'https://a', 'two'),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(digest('https://t/realms/a/', 'https://a/', 'one')).toBe(first);
    expect(others.map(other => changedOrganizationParts(first, other))).toEqual([
      ['token endpoint'],
      ['base URL'],
      ['client'],
    ]);
    expect(changedOrganizationParts(first, first)).toEqual([]);
  });
});

test('a run stops when its client changes, because the organization was checked for the first client', async () => {
  const budget = retryBudget(steppedClock());
  let clientId = 'one';
  const container = { token: async () => ({ value: `for ${clientId}`, clientId }), discard: () => undefined };
  const tokens = tokenSourceOfRun(container);
  expect((await tokens.token(budget)).value).toBe('for one');
  clientId = 'two';
  expect(await rejection(tokens.token(budget))).toBeInstanceOf(ClientChangedError);
  clientId = 'one';
  // Other streams of the run must stop too.
  expect(await rejection(tokens.token(budget))).toBeInstanceOf(ClientChangedError);
  expect((await tokenSourceOfRun(container).token(budget)).value).toBe('for one');
});

test('rows of another client are not sent, even if the container checked the client of an earlier token', async () => {
  await using auth = await httpHarness(answerJson(200, { access_token: 't', token_type: 'Bearer', expires_in: 300 }));
  await using each = await connector({ environment: { AUTH_URL: auth.url, DNS_BLOCKS_PATH: '' } });
  const listAsset = (row: object) =>
    each.api.tamper(({ target }) => {
      const data = target.startsWith('/v1/assets') ? [{ id: 'a', ...row }] : [];
      return answerJson(200, { data, p: { next_cursor: null, page_size: data.length } });
    });
  listAsset({ name: 'ours' });
  await each.run();

  each.aws.secret.put(JSON.stringify({ client_id: 'another', client_secret: 's' }));
  each.clock.advance(300_000);
  listAsset({ name: 'theirs' });
  for (let run = 0; run < 2; run++) expect((await rejection(each.run())).message).toContain('OrganizationChangedError');
  expect(await each.lines()).toHaveLength(1);
});
