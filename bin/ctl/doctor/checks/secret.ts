import { PLACEHOLDER } from '../../../../lib/placeholder.ts';
import { type Check, fail, ok } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const secret: Check<DoctorContext> = {
  name: 'secret',
  needs: ['settings'],
  async look(context) {
    const { clientId, clientSecret } = await context.credentials();
    if (clientId === PLACEHOLDER || clientSecret === PLACEHOLDER) {
      return fail(
        'it still holds the placeholder',
        '"npm run connectorctl -- set-credentials" puts the client credentials in place.',
      );
    }
    return ok('it holds client credentials');
  },
};
