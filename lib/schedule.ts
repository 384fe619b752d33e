import { Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { TICK_EXPIRES_AFTER } from './alarms/timing.ts';
import { allowStatement } from './statements.ts';

export interface ScheduleProps {
  readonly function: IFunction;
  readonly rate: Duration;
  readonly enabled: boolean;
  /** Resources that must exist before the first run. */
  readonly after: readonly IDependable[];
}

/** The schedule that starts the function, and a queue for starts that failed. */
export class Schedule extends Construct {
  readonly deadLetters: sqs.Queue;
  readonly scheduleName: string;
  readonly scheduleArn: string;
  /** Role that EventBridge Scheduler assumes. */
  readonly role: iam.Role;

  constructor(scope: Construct, id: string, { function: target, rate, enabled, after }: ScheduleProps) {
    super(scope, id);
    this.deadLetters = new sqs.Queue(this, 'Undelivered', {
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });

    // The CDK's own role would be outside of this construct, so a permissions boundary of the
    // connector would not reach it.
    this.role = new iam.Role(this, 'Role', {
      description: 'Lets the schedule start the function.',
      assumedBy: schedulerPrincipal(this),
      inlinePolicies: {
        Start: new iam.PolicyDocument({
          statements: [
            allowStatement(['lambda:InvokeFunction'], target.functionArn),
            allowStatement(['sqs:SendMessage'], this.deadLetters.queueArn),
          ],
        }),
      },
    });

    const schedule = new scheduler.Schedule(this, 'Schedule', {
      description: 'Starts a run of the connector.',
      schedule: scheduler.ScheduleExpression.rate(rate),
      enabled,
      target: new LambdaInvoke(target, {
        // The policy of the role is not updated, because the target would also allow every version
        // and alias of the function.
        role: this.role.withoutPolicyUpdates(),
        input: scheduler.ScheduleTargetInput.fromObject({}),
        maxEventAge: TICK_EXPIRES_AFTER,
        retryAttempts: 2,
        deadLetterQueue: this.deadLetters,
      }),
    });
    schedule.node.addDependency(...after);

    this.scheduleName = schedule.scheduleName;
    this.scheduleArn = schedule.scheduleArn;
  }
}

/**
 * Trusts EventBridge Scheduler when it acts for a schedule of this account in the default group.
 */
function schedulerPrincipal(scope: Construct): iam.ServicePrincipal {
  const stack = Stack.of(scope);
  const group = stack.formatArn({ service: 'scheduler', resource: 'schedule-group', resourceName: 'default' });
  return new iam.ServicePrincipal('scheduler.amazonaws.com', {
    conditions: { StringEquals: { 'aws:SourceAccount': stack.account, 'aws:SourceArn': group } },
  });
}
