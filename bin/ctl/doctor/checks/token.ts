import { type Check, ok } from '../check.ts';
import type { Context } from '../patient.ts';

export const token: Check<Context> = {
  name: 'token',
  needs: ['secret'],
  async look(context) {
    await context.token();
    return ok('the token endpoint takes the credentials');
  },
};
