import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { restore } from '../../deployment/restore.ts';
import { AwsCallError } from '../../errors.ts';
import { permits } from '../../policy/permits.ts';
import { readPolicy } from '../../policy/read-policy.ts';
import { type Check, fail, ok, skipped } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

const NO_QUEUE = 'the SIEM is told by other means than a queue';

export const siemQueue: Check<DoctorContext> = {
  name: 'siem-queue',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { siem, stackName } = await deployment();
    if (!siem) return skipped(NO_QUEUE);
    const names = ['QueueArn', 'RedrivePolicy', 'Policy'] as const;
    const command = new GetQueueAttributesCommand({ QueueUrl: siem.queueUrl, AttributeNames: [...names] });
    try {
      const { Attributes: told = {} } = await aws.sqs().send(command);
      if (!told.Policy?.includes('s3.amazonaws.com')) {
        return fail('its policy lets no bucket announce objects', restore(stackName, 'the policy'));
      }
      if (!told.RedrivePolicy) {
        return fail('it sets nothing aside that the SIEM gives up on', restore(stackName, 'the dead-letter queue'));
      }
      return ok('it takes announcements, and sets aside what the SIEM gives up on');
    } catch (cause) {
      throw new AwsCallError(
        `The queue ${siem.queueUrl} could not be read`,
        'You need sqs:GetQueueAttributes on it.',
        cause,
      );
    }
  },
};

const QUEUE_ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** What every reader of an announced object does, by the policy that the stack made for it. */
export const readerPolicy: Check<DoctorContext> = {
  name: 'reader-policy',
  needs: ['siem-queue'],
  async look({ aws, deployment }) {
    const { siem, bucket, outputs, stackName } = await deployment();
    if (!siem) return skipped(NO_QUEUE);
    const policy = await readPolicy(aws, siem.policyArn, siem.roleArn);
    const wanted = [
      [
        's3:GetObject',
        `arn:${partitionOf(siem.policyArn)}:s3:::${bucket}/${PREFIXES.events}2026/01/01/00/some.json.gz`,
      ],
      ...QUEUE_ACTIONS.map(action => [action, outputs.get('SiemQueueArn') ?? '']),
    ] as [string, string][];
    const refused = wanted.filter(([action, resource]) => !permits(policy.statements, action, resource));
    if (refused.length > 0) {
      return fail(
        `it does not allow ${refused.map(([action]) => action).join(', ')}`,
        restore(stackName, 'the policy'),
      );
    }
    if (!siem.roleArn) return ok('it allows what a reader needs; attach it to whatever identity the SIEM uses');
    if (!policy.attached) return fail('the reader role does not have it', restore(stackName, 'the role'));
    return ok('it allows what a reader needs, and the reader role has it');
  },
};

/** China and the government's clouds have partitions of their own. */
function partitionOf(arn: string): string {
  return arn.split(':')[1] ?? 'aws';
}
