import { describe, expect, test } from '@jest/globals';
import { exportName } from '../../../lib/export-name.ts';
import { type Deployment, deployment } from '../support/deployment.ts';

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

describe('status --all', () => {
  test('status --all has a line for each connector, the worst first, and exits with the worst status', async () => {
    await using each = await deployment();
    await each.run();
    const alone = await each.ctl(['status', '--all']);
    expect([alone.status, alone.stdout]).toEqual([0, 'acme  healthy: every stream is caught up\n\n1 healthy\n']);
    copy(each, ['beta']);
    each.stack.alarms.set('acme/credentials-refused', 'ALARM');
    const { status, stdout } = await each.ctl(['status', '--all']);
    expect(status).toBe(3);
    expect(stdout).toMatch(
      /^acme {2}unhealthy: alarm credentials-refused\nbeta {2}unhealthy: .*missing\n\n2 unhealthy\n$/,
    );
  });

  test('status --all has a line for a connector that cannot be read', async () => {
    await using each = await deployment();
    await each.run();
    copy(each, ['beta'], { ConnectorVersion: '9.0.0' });
    const { status, document } = await each.json(['status', '--all']);
    expect(document.connectors).toMatchObject([
      { connector: 'beta', notReadable: expect.stringContaining('9.0.0') },
      { connector: 'acme', health: { status: 'healthy' } },
    ]);
    expect(status).toBe(3);

    each.stack.stacks.splice(0);
    const none = await each.ctl(['status', '--all']);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('There is no connector there.')]);
  });
});
