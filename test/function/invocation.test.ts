import { describe, expect, test } from '@jest/globals';
import { STREAMS } from '../../lambda/streams.ts';
import { answerJson } from '../../local/incidents/tampered-api.ts';
import { connector } from '../support/function/connector.ts';
import { rejection } from '../support/function/rejection.ts';

const SOME = { assets: 6, threats: 5, dnsBlocks: 4 };

test('an invocation without a context has the longest time that Lambda allows', async () => {
  await using each = await connector();
  each.simulator.populate(SOME);
  const { more } = await each.run({}, { bare: true });
  expect(more).toBe(false);
  expect(each.reports[0]!.timeLeft).toBeLessThanOrEqual(900_000);
  expect(each.reports[0]!.timeLeft).toBeGreaterThan(800_000);
});

test('a run with failed streams reports every failure before it rejects', async () => {
  await using each = await connector();
  each.simulator.populate(SOME);
  each.api.tamper(({ target }) => (target.startsWith('/v1/dns') ? undefined : answerJson(404, '')));
  const error = await rejection(each.run());
  expect(error.message).toMatch(/assets: ApiRefusedError: .*threats: ApiRefusedError: /);
  const { outcome } = each.reports[0]!;
  const others = STREAMS.filter(stream => 'path' in stream).map(({ name }) => name);
  expect([...outcome.failures.keys()].sort()).toEqual(others.sort());
  expect(outcome.results.get('dns-blocks')).toMatchObject({ forwarded: 4, caughtUp: true });
});

describe('a run', () => {
  test('a run stops early, so that a tenth of its time is left to save its progress', async () => {
    await using each = await connector({ environment: { PAGE_LIMIT: '2', DNS_BLOCKS_PATH: '' } });
    each.simulator.populate({ assets: 6, threats: 0, dnsBlocks: 0 });
    let asked = 0;
    each.api.tamper(({ target }) => {
      if (target.startsWith('/v1/assets') && ++asked === 1) each.clock.advance(9_000);
      return undefined;
    });
    const { more, streams } = await each.run({}, { time: 9_900 });
    expect(more).toBe(true);
    expect(streams['assets']).toMatchObject({ pages: 1, caughtUp: false });
    expect(each.reports[0]!.timeLeft).toBeGreaterThan(0);
    expect((await each.run()).streams['assets']).toMatchObject({ caughtUp: true });
    expect(await each.lines()).toHaveLength(6);
  });

  test('a run rejects without a report when its table does not answer', async () => {
    await using each = await connector();
    each.aws.faults.always('dynamodb', { loseRequest: true });
    expect((await rejection(each.run())).name).toBe('StateError');
    expect(each.reports).toEqual([]);
    expect(await each.lines()).toEqual([]);
  });

  test('a run without a DNS block path leaves out the DNS blocks', async () => {
    await using each = await connector({ environment: { DNS_BLOCKS_PATH: '' } });
    each.simulator.populate(SOME);
    expect(Object.keys((await each.run()).streams)).toEqual(
      STREAMS.filter(stream => 'path' in stream).map(({ name }) => name),
    );
    expect((await rejection(each.run({ resync: ['dns-blocks'] }))).name).toBe('CommandError');
  });
});

test.each([
  ['dynamodb', 'dynamodb:UpdateItem', 'StateError'],
  ['firehose', 'firehose:PutRecordBatch', 'DeliveryError'],
  ['s3', 's3:PutObject', 'DeadLetterError'],
] as const)(
  'the error of a run names the call to %s that its role does not allow: %s',
  async (service, action, name) => {
    await using each = await connector();
    // Too long an id becomes a dead letter.
    for (const id of ['x'.repeat(6_000), 'short']) each.simulator.put('assets', { id });
    const message = `User: arn:aws:sts::111122223333:assumed-role/r/f is not authorized to perform: ${action} on resource: x`;
    const code = service === 's3' ? 'AccessDenied' : 'AccessDeniedException';
    each.aws.faults.always(service, { refuse: { status: service === 's3' ? 403 : 400, code, message } });
    const error = await rejection(each.run());
    expect(`${error.name}: ${error.message}`).toContain(`${name}: `);
    expect(error.message).toContain(`Allow the role of the function ${action}.`);
  },
);
