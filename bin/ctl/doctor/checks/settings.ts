import { SettingsError } from '../../../../lambda/settings.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import { restore } from '../../deployment/restore.ts';
import { type Check, fail, ok } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const settings: Check<DoctorContext> = {
  name: 'settings',
  needs: ['stack'],
  async look(context) {
    try {
      const { baseUrl, ...given } = await context.settings();
      const paths = STREAMS.flatMap(stream =>
        'pathOption' in stream ? [`, ${stream.name} ${given[stream.pathOption] ?? 'off'}`] : [],
      );
      return ok(`the function is told where everything is; API ${baseUrl}${paths.join('')}`);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      // A deployment checks what it sets, so somebody has changed them by hand, or deployed another version.
      const { stackName } = await context.deployment();
      return fail(error.faults.join('; '), `No run can start. ${restore(stackName, 'what was changed by hand')}`);
    }
  },
};
