import type { Condition, DeployedFunction } from '../../deployment/read-function.ts';
import { type Check, type Finding, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const deployedFunction: Check<DoctorContext> = {
  name: 'function',
  needs: ['settings'],
  look: async ({ deployedFunction: read }) => functionFinding(await read()),
};

const LATER = 'Runs fail until then: look again in a minute or two.';
const WAKE =
  'Normal after a long pause. "npm run connectorctl -- run" wakes it: the first one fails, and one a few minutes later works.';
const MEND = 'Mend what the reason names, then deploy again.';

/** Whether Lambda can start it, with what was deployed last. */
export function functionFinding({ state, lastUpdate }: Omit<DeployedFunction, 'environment'>): Finding {
  if (state.word === 'Pending') return warn(told('Lambda is making it ready', state), LATER);
  if (state.word === 'Inactive' && isIdle(state)) return warn('Lambda has put it to sleep: it was idle for long', WAKE);
  if (state.word !== 'Active') return fail(told(`Lambda cannot start it: it is ${state.word}`, state), MEND);
  if (lastUpdate.word === 'InProgress') return warn('Lambda is changing it', LATER);
  if (lastUpdate.word === 'Successful') return ok('Lambda can start it, and it is as it was deployed last');
  return fail(told(`its last update is ${lastUpdate.word}, and it is still as before`, lastUpdate), MEND);
}

/** A function that cannot be woken is inactive too, for another reason. */
function isIdle({ code }: Condition): boolean {
  return code === undefined || code === 'Idle';
}

function told(text: string, { reason, code }: Condition): string {
  const why = [code, reason].filter(Boolean).join(': ');
  return why ? `${text} (${why})` : text;
}
