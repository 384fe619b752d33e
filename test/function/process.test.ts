import { describe, expect, test } from '@jest/globals';
import { answerJson, answerProblem } from '../../local/incidents/tampered-api.ts';
import { type Connector, canaries, connector } from '../support/function/connector.ts';
import { functionProcess, HANDLER } from '../support/function/function-process.ts';

/** Anything of a secret, a token or a row. */
function leaks(each: Connector, output: string): string[] {
  const tokens = each.api.seen.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
  return ['canary', ...new Set(tokens)].filter(word => output.includes(word));
}

describe('the function in a process of its own', () => {
  test('the function reports every problem of its environment when its start fails', async () => {
    await using each = await connector();
    const { STATE_TABLE: _table, ...rest } = each.environment;
    const { outcomes } = await functionProcess(HANDLER, { ...rest, PAGE_LIMIT: '501' });
    expect(outcomes).toEqual([{ error: expect.stringMatching(/^SettingsError: .*STATE_TABLE.*PAGE_LIMIT/) }]);
    expect(each.calls).toEqual([]);
  });

  test('the output of the function never contains a part of a secret, token or row', async () => {
    await using each = await canaries();
    const outputs: string[] = [];
    const runs = async (): Promise<string> => {
      const { stdout, stderr, outcomes } = await functionProcess(HANDLER, each.environment);
      outputs.push(stdout, stderr, JSON.stringify(outcomes));
      return JSON.stringify(outcomes);
    };
    const rows = [{ text: 'canary-row' }];
    each.api.tamper(({ target }) => {
      if (target.startsWith('/v1/assets')) return answerJson(200, { data: rows, other: [...rows, ...rows] });
      return target.startsWith('/v1/threats')
        ? answerJson(404, '<p>canary-row</p>')
        : answerProblem(403, 'auth/insufficient-role');
    });
    expect(await runs()).toContain('StreamsFailedError');
    each.api.tamper();
    each.aws.faults.always('firehose', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } });
    expect(await runs()).toContain('DeliveryError');
    each.aws.faults.clear();
    each.aws.secret.put('{"client_id":"x","client_secret":"canary-wrong"}');
    expect(await runs()).toContain('CredentialsError');
    each.aws.secret.put('canary, not JSON');
    expect(await runs()).toContain('CredentialsError');
    expect(outputs.flatMap(output => leaks(each, output))).toEqual([]);
    expect(outputs.join('')).toContain('"level":"ERROR"');
  });
});
