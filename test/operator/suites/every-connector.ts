import { describe, expect, test } from '@jest/globals';
import { exportName } from '../../../lib/export-name.ts';
import { type Deployment, deployment } from '../support/deployment.ts';

/** Adds a stack with the resources of the first one, deployed by another version. */
function addBeta({ account: { stacks } }: Deployment, version: string): void {
  const [first] = stacks;
  const Outputs = first!.Outputs!.map(output => {
    const key = output.ExportName?.split(':')[2];
    const OutputValue = key === 'ConnectorVersion' ? version : output.OutputValue;
    return { ...output, OutputValue, ...(key && { ExportName: exportName('beta', key) }) };
  });
  stacks.push({ ...first!, StackName: 'SecurityDataConnector-beta', Outputs });
}

describe('status --all', () => {
  test('status --all lists an unreadable connector first and exits with its status', async () => {
    await using each = await deployment();
    await each.run();
    const stdout = 'acme  healthy: every stream is caught up\n\n1 healthy\n';
    expect(await each.ctl(['status', '--all'])).toMatchObject({ status: 0, stdout });
    addBeta(each, '9.0.0');
    const { status, document } = await each.json(['status', '--all']);
    expect(document.connectors).toMatchObject([
      { connector: 'beta', notReadable: expect.stringContaining('9.0.0') },
      { connector: 'acme', health: { status: 'healthy' } },
    ]);
    expect(status).toBe(3);
  });

  test('status --all is refused when no connector exists', async () => {
    await using each = await deployment();
    each.account.stacks.splice(0);
    const stderr = expect.stringContaining('There is no connector there.');
    expect(await each.ctl(['status', '--all'])).toMatchObject({ status: 2, stderr });
  });
});
