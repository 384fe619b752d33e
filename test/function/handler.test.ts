import { describe, expect, test } from '@jest/globals';
import { checkpointKey } from '../../lambda/store/item.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { answerJson, tamperList } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { schemaViolations } from '../support/function/event-schema.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';
import { check } from '../support/promise.ts';

const NAMES = STREAMS.map(({ name }) => name);
const COUNTS = { assets: 60, threats: 45, dnsBlocks: 32 };

/** How the SIEM's copy differs from the API, in a sentence for each row. */
async function breachesOf(each: Connector): Promise<readonly string[]> {
  return check({ lines: await each.lines(), truth: each.simulator.truth() }).breaches;
}

function totals(result: { streams: Record<string, { forwarded: number; withdrawn: number; caughtUp: boolean }> }) {
  const all = Object.values(result.streams);
  const events = all.reduce((sum, { forwarded, withdrawn }) => sum + forwarded + withdrawn, 0);
  return { events, caughtUp: all.every(({ caughtUp }) => caughtUp) };
}

describe.each(['full-page-null', 'empty-page-null', 'repeat-cursor'] as const)('where a stream ends with %s', end => {
  test('the first run delivers every row as a valid event, so a second run sends nothing', async () => {
    await using each = await connector({ simulator: { endOfStream: end }, environment: { PAGE_LIMIT: '25' } });
    each.simulator.populate(COUNTS);
    const first = await each.run();
    expect(first.more).toBe(false);
    expect(Object.keys(first.streams)).toEqual(NAMES);
    expect(await breachesOf(each)).toEqual([]);
    const lines = await each.lines();
    expect(schemaViolations(lines)).toEqual([]);
    expect(totals(first).events).toBe(lines.length);
    const requests = new Map(each.simulator.requests);
    each.forget();
    each.clock.advance(60_000);
    const second = await each.run();
    expect(totals(second)).toEqual({ events: 0, caughtUp: true });
    expect(await each.lines()).toEqual(lines);
    const asked = Object.fromEntries([...each.simulator.requests].map(([name, n]) => [name, n - requests.get(name)!]));
    expect(asked).toEqual({ token: 0, ...Object.fromEntries(NAMES.map(name => [name, 1])) });
    expect(each.calls.filter(call => call.service !== 'dynamodb')).toEqual([]);
    expect(each.calls.length).toBeLessThanOrEqual(4);
    const writes = each.calls.map(call => call.action).filter(action => /Put|Update|Delete|Write/.test(action));
    expect(writes).toEqual(['UpdateItem', 'UpdateItem']);
  });
});

describe('a run that fails', () => {
  test('the handler rejects with an error that shows no text from a service', async () => {
    await using each = await connector();
    each.aws.faults.always('dynamodb', { refuse: { status: 400, code: 'AccessDeniedException', message: 'canary' } });
    const error = await rejection(each.run());
    expect(error.cause).toMatchObject({ name: 'AccessDeniedException' });
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('a stream that fails keeps its checkpoint, so the next run sends its rows', async () => {
    await using each = await connector();
    await each.run();
    const checkpoint = async () => (await each.table.get([checkpointKey('assets')]))[0];
    const before = await checkpoint();
    each.simulator.put('assets', { id: 'a' });
    each.simulator.put('threats', { id: 't', asset_id: 'a' });

    each.api.tamper(tamperList('/v1/assets', answerJson(200, '<html>canary</html>')));
    const error = await rejection(each.run());
    expect(error.message).toContain('assets: ContractError');
    expect(wordsOf(error) + wordsOf(each.logged)).not.toMatch(/canary|Bearer/);
    expect(await checkpoint()).toEqual({ ...before, epoch: before?.['epoch'] });
    expect((await each.lines()).map(line => JSON.parse(line).id)).toEqual(['t']);

    each.api.tamper();
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 1, caughtUp: true });
  });

  test('wrong credentials fail every stream after two token requests and a second read of the secret', async () => {
    await using each = await connector();
    const { clientId } = each.simulator.account;
    each.aws.secret.put(JSON.stringify({ client_id: clientId, client_secret: 'canary' }));
    const { message } = await rejection(each.run());
    expect(message.match(/: CredentialsError: /g)).toHaveLength(NAMES.length);
    expect(each.simulator.requests.get('token')).toBe(2);
    expect(each.count('GetSecretValue')).toBe(2);
  });
});

describe('commands', () => {
  test('a run for one stream does not touch the other streams', async () => {
    await using each = await connector();
    each.simulator.populate(COUNTS);
    const { streams } = await each.run({ streams: ['dns-blocks'] });
    expect(Object.keys(streams)).toEqual(['dns-blocks']);
    expect(each.simulator.requests.get('assets')).toBeUndefined();
  });

  test('an unknown command is refused before anything is done', async () => {
    await using each = await connector();
    expect((await rejection(each.run({ reset: true }))).name).toBe('CommandError');
    expect(each.calls).toEqual([]);
    expect(each.simulator.requests.size).toBe(0);
  });
});

test('a warm container requests secret and token once for all of its runs', async () => {
  await using each = await connector();
  each.simulator.populate({ assets: 3, threats: 3, dnsBlocks: 3 });
  const requests = () => ({ token: each.simulator.requests.get('token'), secret: each.count('GetSecretValue') });
  for (let run = 0; run < 3; run++) await each.run();
  expect(requests()).toEqual({ token: 1, secret: 1 });
  await each.run({}, { cold: true });
  expect(requests()).toEqual({ token: 2, secret: 2 });
});
