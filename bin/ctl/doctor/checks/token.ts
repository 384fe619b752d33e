import { type Check, ok } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const token: Check<DoctorContext> = {
  name: 'token',
  needs: ['secret'],
  async look(context) {
    await context.token();
    return ok('the token endpoint takes the credentials');
  },
};
