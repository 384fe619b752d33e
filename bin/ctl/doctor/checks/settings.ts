import { SettingsError } from '../../../../lambda/settings.ts';
import { type Check, fail, ok } from '../check.ts';
import type { Patient } from '../patient.ts';

export const settings: Check<Patient> = {
  name: 'settings',
  needs: ['stack'],
  async look(patient) {
    try {
      const { baseUrl, dnsBlocksPath } = await patient.settings();
      return ok(`the function is told where everything is; API ${baseUrl}, DNS blocks ${dnsBlocksPath ?? 'off'}`);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return fail(error.faults.join('; '), 'Set them in cdk.json and deploy again: no run can start.');
    }
  },
};
