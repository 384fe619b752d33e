import { GetRoleCommand } from '@aws-sdk/client-iam';
import type { Deployment } from '../../deployment/find-deployment.ts';
import { restore } from '../../deployment/restore.ts';
import { AwsCallError } from '../../errors.ts';
import { readSchedule, type Schedule } from '../../schedule/schedule.ts';
import { type Check, type Finding, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const schedule: Check<DoctorContext> = {
  name: 'schedule',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const deployed = await deployment();
    return scheduleFinding(await readSchedule(aws, deployed.scheduleName), deployed);
  },
};

type Wanted = Pick<Deployment, 'account' | 'functionName' | 'scheduleDeadLetterQueueUrl' | 'stackName'>;

export function scheduleFinding({ enabled, expression, whole }: Schedule, wanted: Wanted): Finding {
  const { account, functionName, scheduleDeadLetterQueueUrl: queueUrl, stackName } = wanted;
  const { Arn: target = '', DeadLetterConfig: dead } = whole.Target ?? {};
  if (!target.endsWith(`:${account}:function:${functionName}`)) {
    return fail(`it starts ${target || 'nothing'}, and not the function ${functionName}`, restore(stackName));
  }
  if (!dead?.Arn) return fail('it keeps no starts that fail: it has no dead-letter queue', restore(stackName));
  if (!dead.Arn.endsWith(`:${queueUrl.split('/').slice(-2).join(':')}`)) {
    return fail(`it keeps starts that fail in ${dead.Arn}, and not in the queue of the stack`, restore(stackName));
  }
  if (!enabled) return warn('off: nothing runs by itself', '"npm run connectorctl -- resume" switches it on.');
  return ok(`on, ${expression}; it starts the function, and keeps starts that fail`);
}

const SERVICE = 'scheduler.amazonaws.com';

/** Without it every start fails, and not even the dead-letter queue hears of it. */
export const scheduleRole: Check<DoctorContext> = {
  name: 'schedule-role',
  needs: ['schedule'],
  async look({ aws, deployment }) {
    const { scheduleName, stackName } = await deployment();
    const { whole } = await readSchedule(aws, scheduleName);
    const arn = whole.Target?.RoleArn ?? '';
    const name = arn.slice(arn.lastIndexOf('/') + 1);
    try {
      const { Role } = await aws.iam().send(new GetRoleCommand({ RoleName: name }));
      // IAM gives the document percent-encoded.
      if (decodeURIComponent(Role?.AssumeRolePolicyDocument ?? '').includes(SERVICE)) {
        return ok('the schedule may assume the role by which it starts the function');
      }
      return fail(`${name} does not let ${SERVICE} assume it, so no start is handed over`, restore(stackName));
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'NoSuchEntityException') {
        return fail(`${name} is gone, so no start is handed over`, restore(stackName));
      }
      throw new AwsCallError(`The role ${name} could not be read`, 'You need iam:GetRole on it.', cause);
    }
  },
};
