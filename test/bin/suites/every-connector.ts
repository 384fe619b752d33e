import { describe, expect, test } from '@jest/globals';
import { exportName } from '../../../lib/export-name.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { DENIED } from '../support/refusals.ts';

/** Adds stacks with the resources of the first one, whose alarms are missing because they have its name. */
function copy(
  { stack: { stacks } }: Deployment,
  names: readonly string[],
  changed: Readonly<Record<string, string>> = {},
) {
  const [{ outputs }] = stacks as [(typeof stacks)[0]];
  for (const name of names) {
    const own = outputs.map(output => {
      const key = output.exportName?.split(':')[2];
      return {
        ...output,
        value: changed[key ?? ''] ?? output.value,
        ...(key && { exportName: exportName(name, key) }),
      };
    });
    stacks.push({ name: `SecurityDataConnector-${name}`, outputs: own });
  }
}

const lines = (stdout: string) => stdout.split('\n').map(line => line.split(/ {2,}/));

describe('status --all', () => {
  test('has one line for each connector, the worst first, and exits with the status of the worst', async () => {
    await using each = await deployment();
    await each.run();
    const alone = await each.ctl(['status', '--all']);
    expect([alone.status, alone.stdout]).toEqual([
      0,
      'acme  us-east-1  healthy: every stream is caught up\n\n1 healthy\n',
    ]);
    copy(each, ['beta']);
    each.stack.alarms.set('acme/credentials-refused', 'ALARM');
    const { status, stdout } = await each.ctl(['status', '--all']);
    expect(status).toBe(3);
    expect(lines(stdout)).toEqual([
      ['acme', 'us-east-1', 'unhealthy: alarm credentials-refused'],
      ['beta', 'us-east-1', expect.stringMatching(/^unhealthy: .*the alarms are missing$/)],
      [''],
      ['2 unhealthy'],
      [''],
    ]);
  });

  test('has a line for a connector that cannot be read and for one whose first deployment failed', async () => {
    await using each = await deployment();
    await each.run();
    copy(each, ['beta'], { ConnectorVersion: '9.0.0' });
    each.stack.stacks.push({ name: 'SecurityDataConnector-gamma', status: 'ROLLBACK_COMPLETE', outputs: [] });
    const { status, stdout } = await each.ctl(['status', '--all']);
    expect([status, ...lines(stdout)]).toEqual([
      3,
      [
        'beta',
        'us-east-1',
        expect.stringMatching(/^not readable: Stack SecurityDataConnector-beta was deployed by version 9/),
      ],
      ['gamma', 'us-east-1', expect.stringMatching(/^not readable: .* its first deployment failed/)],
      ['acme', 'us-east-1', 'healthy: every stream is caught up'],
      [''],
      ['2 not readable, 1 healthy'],
      [''],
    ]);
    const { document } = await each.json(['status', '--all']);
    expect(document.connectors).toMatchObject([
      { connector: 'beta', notReadable: expect.stringContaining('9.0.0') },
      { connector: 'gamma' },
      { connector: 'acme', region: 'us-east-1', health: { status: 'healthy' } },
    ]);
  });

  test('reads the regions of --regions, and has a line for one that cannot be read', async () => {
    await using each = await deployment();
    await each.run();
    const both = await each.ctl(['status', '--regions', 'us-east-1,eu-west-1']);
    expect([both.status, lines(both.stdout).slice(0, 2)]).toEqual([
      0,
      [
        ['acme', 'eu-west-1', 'healthy: every stream is caught up'],
        ['acme', 'us-east-1', 'healthy: every stream is caught up'],
      ],
    ]);
    each.connector.aws.faults.next('cloudformation', DENIED);
    const { status, stdout } = await each.ctl(['status', '--regions', 'eu-west-1,us-east-1']);
    expect([status, stdout.split('\n')[0]]).toEqual([
      3,
      expect.stringMatching(/^ +eu-west-1 {2}not readable: .*AccessDenied/),
    ]);
    expect(stdout).toContain('acme  us-east-1  healthy');
  });

  test('takes a region of the European Sovereign Cloud', async () => {
    await using each = await deployment();
    const { status, stdout } = await each.ctl(['status', '--regions', 'us-east-1,eusc-de-east-1']);
    expect([status, stdout]).toEqual([expect.any(Number), expect.stringContaining('eusc-de-east-1')]);
  });

  test.each([
    [['--all', '--connector', 'acme'], '--all takes --region or --regions'],
    [['--regions', 'europe'], 'It must be regions separated by commas'],
    [['--regions', 'eusc-de-east-1,eu-west'], 'It must be regions separated by commas'],
  ])('is refused with %j', async (options, reason) => {
    await using each = await deployment();
    const { status, stderr } = await each.ctl(['status', ...options]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(each.asked()).toEqual([]);
  });

  test('without a connector says so', async () => {
    await using each = await deployment();
    each.stack.stacks.splice(0);
    const { status, stderr } = await each.ctl(['status', '--all']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no connector there.')]);
  });

  test('of three connectors makes as many calls of each as of one, and lists the stacks once', async () => {
    await using each = await deployment();
    await each.run();
    await each.ctl(['status', '--all']);
    const ofOne = each.asked().length - 1;
    copy(each, ['beta', 'gamma']);
    const before = each.asked().length;
    const { document } = await each.json(['status', '--all']);
    expect(document.connectors).toHaveLength(3);
    const asked = each
      .asked()
      .slice(before)
      .map(({ action }) => action);
    expect(asked.length).toBe(1 + 3 * ofOne);
    expect(asked.filter(action => action === 'DescribeStacks')).toHaveLength(1);
  });
});

describe('doctor --all', () => {
  test('has one line for each connector with its failed checks, the one with the most first', async () => {
    await using each = await deployment();
    await each.run();
    copy(each, ['beta'], { StateTableName: 'missing', SiemQueueUrl: 'http://127.0.0.1:1/none' });
    const { status, stdout } = await each.ctl(['doctor', '--all']);
    expect([status, ...lines(stdout).slice(0, 2)]).toEqual([
      3,
      ['beta', 'us-east-1', expect.stringMatching(/^failed: table, siem-queue, alarms/)],
      ['acme', 'us-east-1', expect.stringMatching(/^ok|^warnings: /)],
    ]);
    const { document } = await each.json(['doctor', '--all']);
    expect(document.connectors[0]).toMatchObject({ connector: 'beta', failed: true, checks: expect.any(Array) });
  });

  test('is refused with --preflight', async () => {
    await using each = await deployment();
    expect((await each.ctl(['doctor', '--all', '--preflight'])).status).toBe(2);
  });
});
