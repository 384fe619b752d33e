import { type Check, type Finding, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

/** AWS refuses a signature whose time is further off. */
const REFUSED_MILLISECONDS = 5 * 60_000;
const UNCONFIRMED_MILLISECONDS = 30_000;
const REMEDY =
  'Set the clock of this machine (NTP). If it is right, the clock of AWS or of the API is wrong: tell its operator.';

/** Last, when everybody has told the time. */
export const clock: Check<DoctorContext> = {
  name: 'clock',
  look: async ({ skews }) => clockFinding(skews),
};

/** @param skews milliseconds that others are ahead of this machine */
export function clockFinding(skews: readonly number[]): Finding {
  if (skews.length === 0) return { status: 'skipped', text: 'nobody has told the time' };
  const worst = Math.max(...skews.map(Math.abs));
  if (worst < UNCONFIRMED_MILLISECONDS) return ok('this machine, AWS and the API agree on the time');
  const text = `this machine’s clock is up to ${Math.round(worst / 1000)} s off that of AWS or the API`;
  return worst < REFUSED_MILLISECONDS ? warn(text, REMEDY) : fail(text, REMEDY);
}
