import { describe, expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';

describe('set-credentials', () => {
  test('puts the credentials of the environment into the secret of the function, and shows neither', async () => {
    await using each = await deployment({ clientSecret: 'canary "secret" ü' });
    each.connector.platform.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
    each.connector.aws.secret.put('a placeholder');
    const { clientId, clientSecret } = each.connector.platform.account;
    const { status, stdout, stderr } = await each.ctl(['set-credentials'], {
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
    });
    expect([status, stderr]).toEqual([0, '']);
    const { arn } = each.connector.aws.secret;
    expect(stdout).toContain(`The secret ${arn} has the credentials`);
    for (const hidden of ['canary', clientId]) expect(stdout.replaceAll(arn, '')).not.toContain(hidden);
    expect(await each.connector.run()).toMatchObject({ streams: { assets: { forwarded: 3 } } });
  });

  test('exits with 1 when the secret is refused, without a word of the credentials', async () => {
    await using each = await deployment();
    const refuse = { status: 400, code: 'AccessDeniedException', message: 'No' };
    each.connector.aws.faults.always('secretsmanager', { refuse });
    const { status, stdout, stderr } = await each.ctl(['set-credentials'], {
      CLIENT_ID: 'canary',
      CLIENT_SECRET: 'canary',
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('could not be written: Access denied. (AccessDeniedException: No)');
    expect(stderr).toContain('secretsmanager:PutSecretValue');
    expect(stderr).not.toContain('canary');
  });

  test('reads no terminal and writes nothing when a part is missing and nobody can be asked', async () => {
    await using each = await deployment();
    const { status, stderr } = await each.ctl(['set-credentials'], { CLIENT_ID: 'x' });
    expect([status, stderr]).toEqual([2, 'Set CLIENT_SECRET, or run this in a terminal. The secret is unchanged.\n']);
  });
});
