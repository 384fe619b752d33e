import { describe, expect, test } from '@jest/globals';
import type { ServiceName } from '../../../local/aws/service.ts';
import { deployment } from '../support/deployment.ts';

/**
 * The phases of a command, by the service whose call is interrupted. `doctor` reads on after a
 * failure.
 */
const PHASES: readonly (readonly [string, ServiceName, readonly string[], string])[] = [
  ['running checks', 'sts', ['doctor'], 'Interrupted. Nothing was changed.'],
  ['a run', 'lambda', ['run'], 'A run that has started continues in AWS'],
];

describe('Ctrl-C during', () => {
  test.each(PHASES)('Ctrl-C during %s ends the command with status 130', async (_, service, args, words) => {
    await using each = await deployment();
    const { interrupt, ended } = each.start(args);
    each.connector.aws.faults.always(service, () => {
      interrupt();
      return {};
    });
    expect(await ended).toEqual({ status: 130, stdout: '', stderr: expect.stringContaining(words) });
  });

  test('a write is completed in spite of Ctrl-C', async () => {
    await using each = await deployment();
    const { interrupt, ended } = each.start(['pause']);
    each.connector.aws.faults.always(
      'scheduler',
      interruptingWrites(() => interrupt()),
    );
    expect(await ended).toMatchObject({ status: 0, stdout: expect.stringContaining('is off.') });
    expect(each.account.schedules.get(each.outputs['ScheduleName']!)).toMatchObject({ State: 'DISABLED' });
  });
});

function interruptingWrites(interrupt: () => void) {
  return ({ action }: { readonly action: string }) => {
    if (action === 'UpdateSchedule') interrupt();
    return {};
  };
}
