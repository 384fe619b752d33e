import { type Check, fail, ok, warn } from '../check.ts';
import type { Patient } from '../patient.ts';

/** Found, of a version that this program understands, with every output, and whole. */
export const stack: Check<Patient> = {
  name: 'stack',
  needs: ['aws-account'],
  async look(patient) {
    const { stackName, stackStatus, version } = await patient.deployment();
    const text = `${stackName}, ${stackStatus}, version ${version}`;
    if (/FAILED|ROLLBACK/.test(stackStatus)) {
      return fail(text, 'See the stack’s events in CloudFormation for what failed, mend it, and deploy again.');
    }
    if (/IN_PROGRESS/.test(stackStatus)) return warn(text, 'A deployment is under way: look again when it has ended.');
    return ok(text);
  },
};
