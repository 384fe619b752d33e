import { isCutOff, messageOf } from '../errors.ts';
import type { Check, Diagnosis, Finding } from './check.ts';

/**
 * Makes the checks one after the other. One that needs a check which failed or was left out is left out too, so that a fault
 * is told once, where it is.
 */
export async function examine<Patient>(
  checks: readonly Check<Patient>[],
  patient: Patient,
  told: (diagnosis: Diagnosis) => void,
): Promise<Diagnosis[]> {
  const made = new Map<string, Diagnosis>();
  for (const check of checks) {
    const lacking = (check.needs ?? []).filter(need => !isSound(made.get(need)));
    const finding: Finding =
      lacking.length > 0 ? { status: 'skipped', text: `needs ${lacking.join(', ')}` } : await looked(check, patient);
    const diagnosis = { name: check.name, ...finding };
    made.set(check.name, diagnosis);
    told(diagnosis);
  }
  return [...made.values()];
}

function isSound(diagnosis: Diagnosis | undefined): boolean {
  return diagnosis?.status === 'ok' || diagnosis?.status === 'warn';
}

async function looked<Patient>({ look }: Check<Patient>, patient: Patient): Promise<Finding> {
  try {
    return await look(patient);
  } catch (error) {
    if (isCutOff(error)) throw error;
    const [text = '', ...todo] = messageOf(error).split('\n');
    return { status: 'fail', text, ...(todo.length > 0 && { todo: todo.join(' ') }) };
  }
}
