import { type Check, ok } from '../check.ts';
import type { Patient } from '../patient.ts';

export const token: Check<Patient> = {
  name: 'token',
  needs: ['secret'],
  async look(patient) {
    await patient.token();
    return ok('the token endpoint takes the credentials');
  },
};
