import { isCutOff, messageOf } from '../errors.ts';
import type { Check, Diagnosis, Finding } from './check.ts';

/**
 * Makes the checks one after the other. One that needs a check which failed or was left out is left out too, so that a fault
 * is told once, where it is.
 */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  told: (diagnosis: Diagnosis) => void,
): Promise<Diagnosis[]> {
  const made = new Map<string, Diagnosis>();
  for (const check of checks) {
    const lacking = (check.needs ?? []).filter(need => !isSound(made.get(need)));
    const finding: Finding =
      lacking.length > 0 ? { status: 'skipped', text: `needs ${lacking.join(', ')}` } : await looked(check, context);
    const diagnosis = { name: check.name, ...finding };
    made.set(check.name, diagnosis);
    told(diagnosis);
  }
  return [...made.values()];
}

function isSound(diagnosis: Diagnosis | undefined): boolean {
  return diagnosis?.status === 'ok' || diagnosis?.status === 'warn';
}

async function looked<Context>({ look }: Check<Context>, context: Context): Promise<Finding> {
  try {
    return await look(context);
  } catch (error) {
    if (isCutOff(error)) throw error;
    const [text = '', ...remedy] = messageOf(error).split('\n');
    return { status: 'fail', text, ...(remedy.length > 0 && { remedy: remedy.join(' ') }) };
  }
}
