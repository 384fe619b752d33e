import { Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { TICK_EXPIRES_AFTER } from './alarms/timing.ts';
import { suppressFinding } from './suppress-finding.ts';

export interface ScheduleProps {
  readonly function: IFunction;
  readonly rate: Duration;
  readonly enabled: boolean;
  /** Resources that must exist before the first run. */
  readonly after: IDependable | undefined;
}

/** The schedule that starts the function, and a queue for starts that failed. */
export class Schedule extends Construct {
  readonly deadLetters: sqs.Queue;
  readonly scheduleName: string;
  readonly scheduleArn: string;
  /** Role that EventBridge Scheduler assumes. */
  readonly role: iam.Role;

  constructor(scope: Construct, id: string, props: ScheduleProps) {
    super(scope, id);
    this.deadLetters = createDeadLetterQueue(this);
    this.role = this.createRole(props.function);
    const schedule = new scheduler.CfnSchedule(this, 'Schedule', {
      description: 'Starts a run of the connector.',
      scheduleExpression: rateExpression(props.rate),
      flexibleTimeWindow: { mode: 'OFF' },
      state: props.enabled ? 'ENABLED' : 'DISABLED',
      target: {
        arn: props.function.functionArn,
        roleArn: this.role.roleArn,
        input: '{}',
        retryPolicy: { maximumEventAgeInSeconds: TICK_EXPIRES_AFTER.toSeconds(), maximumRetryAttempts: 2 },
        deadLetterConfig: { arn: this.deadLetters.queueArn },
      },
    });
    if (props.after) schedule.node.addDependency(props.after);

    this.scheduleName = schedule.ref;
    this.scheduleArn = schedule.attrArn;
  }

  private createRole(target: IFunction): iam.Role {
    return new iam.Role(this, 'Role', {
      description: 'Lets the schedule start the function.',
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
      inlinePolicies: {
        Start: new iam.PolicyDocument({
          statements: [
            new iam.PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }),
            new iam.PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }),
          ],
        }),
      },
    });
  }
}

function createDeadLetterQueue(scope: Construct): sqs.Queue {
  const queue = new sqs.Queue(scope, 'Undelivered', {
    encryption: sqs.QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  suppressFinding(queue, 'AwsSolutions-SQS3', 'This queue is itself the dead-letter queue of the schedule.');
  return queue;
}

/** EventBridge Scheduler distinguishes `rate(1 minute)` from `rate(2 minutes)`. */
function rateExpression(rate: Duration): string {
  const minutes = rate.toMinutes();
  return `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`;
}
