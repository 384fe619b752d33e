import { describe, expect, test } from '@jest/globals';
import { ContractError } from '../../../lambda/core/errors.ts';
import { STREAMS } from '../../../lambda/streams.ts';
import { list, problem } from '../../../local/incidents/tampered-api.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { logLines } from '../support/function-log.ts';
import { DENIED } from '../support/refusals.ts';

const MINUTE = 60_000;
const put = (each: Deployment, message: string, minutesAgo = 1) =>
  each.stack.logs.put(each.stack.outputs['LogGroupName']!, { timestamp: Date.now() - minutesAgo * MINUTE, message });
const logged = (message: string) =>
  logLines('acme', [['A stream failed', new ContractError('/v1/assets', message), { stream: 'assets' }]])[0]!;
const json = async (each: Deployment, ...args: string[]) => (await each.json(['errors', ...args])).document;

describe('errors', () => {
  test('of a connector that has not failed says so, with what its runs reported, and exits with 0', async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    await each.run();
    const { status, stdout } = await each.ctl(['errors']);
    expect([status, stdout.split('\n')[0]]).toEqual([0, 'Nothing failed in the last 3 h.']);
    expect(stdout).toMatch(/^assets +Reports 1, CaughtUp 1, PagesRead 1, RowsRead 3, EventsForwarded 3$/m);
    expect(stdout).not.toMatch(/ 0[,\n]/);
  });

  test('counts failures of one stream and class once, newest first, with their words about data and remedy', async () => {
    await using each = await deployment();
    each.connector.api.tamper(list('/v1/assets', problem(403, 'auth/insufficient-role')));
    await each.run({}, 9);
    await each.run({}, 5);
    each.connector.api.tamper(list('/v1/threats', problem(400, 'request/invalid-limit')));
    await each.run({}, 2);
    const { status, stdout } = await each.ctl(['errors']);
    expect(status).toBe(3);
    const [threats = '', advice = '', assets = ''] = stdout.split('\n');
    expect(threats).toMatch(/^1 × \S+Z to \S+Z {2}threats {2}ApiRefusedError: The API answered 400 for \/v1\/threats/);
    expect(advice).toBe(
      '    → The checkpoint was not moved past the rows concerned, so nothing is lost. The request is not repeated before the next run.',
    );
    expect(assets).toMatch(/^2 × .* assets {2}RoleMissingError: The API answered 403 auth\/insufficient-role for /);
    const { failures } = await json(each);
    expect(failures).toMatchObject([
      { count: 1, stream: 'threats', error: 'ApiRefusedError' },
      { count: 2, stream: 'assets', error: 'RoleMissingError', advice: expect.stringContaining('nothing is lost') },
    ]);
    expect(Date.parse(failures[1].last) - Date.parse(failures[1].first)).toBeGreaterThan(3 * MINUTE);
  });

  test('names the cause of a failure at AWS', async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 1, threats: 0, dnsBlocks: 0 });
    each.connector.aws.faults.always('firehose', DENIED);
    await each.run();
    expect((await each.ctl(['errors'])).stdout).toMatch(/DeliveryError: .* \(Cause: AccessDeniedException: HTTP 403/);
  });

  test('shows what only Lambda logged: a function that cannot start, that timed out, that ran out of memory', async () => {
    await using each = await deployment();
    put(
      each,
      '…\tERROR\tInvoke Error \t{"errorType":"SettingsError","errorMessage":"STATE_TABLE is missing.","stack":[]}',
    );
    put(each, '2026-11-20T12:15:00.000Z 5a1c2d3e Task timed out after 900.00 seconds', 2);
    put(each, 'RequestId: 5a1c2d3e Error: Runtime exited with error: signal: killed', 3);
    put(each, 'REPORT RequestId: 5a1c2d3e Duration: 3.00 ms Status: error', 3);
    const { failures } = await json(each);
    expect(failures.map(({ error, what }: { error: string; what: string }) => [error, what])).toEqual([
      ['SettingsError', 'STATE_TABLE is missing.'],
      ['Lambda', 'Task timed out after 900.00 seconds'],
      ['Lambda', 'Runtime exited with error: signal: killed'],
    ]);
  });

  test('reads three hours, or as many as --hours says', async () => {
    await using each = await deployment();
    put(each, logged('recent'), 170);
    put(each, logged('old'), 200);
    put(each, logged('older'), 23 * 60);
    expect((await json(each)).failures).toHaveLength(1);
    const { failures, unread } = await json(each, '--hours', '24');
    expect(failures.map(({ what }: { what: string }) => what)).toHaveLength(3);
    expect(unread).toEqual([]);
    expect((await each.ctl(['errors', '--hours', '0'])).status).toBe(2);
  });

  test('prints with --raw the lines as they are, oldest first, and no other', async () => {
    await using each = await deployment();
    await each.run();
    put(each, logged('second'), 2);
    put(each, logged('first'), 70);
    const { lines } = await json(each, '--raw');
    const messages = lines.map(({ text }: { text: string }) => JSON.parse(text).error.message);
    expect(messages).toEqual([expect.stringContaining('first'), expect.stringContaining('second')]);
    const { stdout } = await each.ctl(['errors', '--raw']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test('has the figures of every stream under the names of the log', async () => {
    await using each = await deployment();
    await each.run();
    await each.run();
    const { figures } = await json(each);
    expect(Object.keys(figures).toSorted()).toEqual(['run', ...STREAMS.map(({ name }) => name)].toSorted());
    expect(figures).toMatchObject({ assets: { Reports: 2, CaughtUp: 2 }, run: { Reports: 2, StreamsFailed: 0 } });
    expect(figures.run.TimeLeftMilliseconds).toBeLessThanOrEqual(900_000);
  });
});
