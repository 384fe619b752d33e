import { PLACEHOLDER } from '../../../../lib/placeholder.ts';
import { type Check, fail, ok } from '../check.ts';
import type { Patient } from '../patient.ts';

export const secret: Check<Patient> = {
  name: 'secret',
  needs: ['settings'],
  async look(patient) {
    const { clientId, clientSecret } = await patient.credentials();
    if (clientId === PLACEHOLDER || clientSecret === PLACEHOLDER) {
      return fail(
        'it still holds the placeholder',
        '"npm run connectorctl -- fill-secret" puts the client credentials in place.',
      );
    }
    return ok('it holds client credentials');
  },
};
