import { DescribeDeliveryStreamCommand } from '@aws-sdk/client-firehose';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { restore } from '../../deployment/restore.ts';
import { AwsCallError } from '../../errors.ts';
import { type Check, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const deliveryStream: Check<DoctorContext> = {
  name: 'delivery-stream',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { deliveryStream: name, stackName } = await deployment();
    const command = new DescribeDeliveryStreamCommand({ DeliveryStreamName: name });
    try {
      const { DeliveryStreamDescription: told } = await aws.firehose().send(command);
      const status = told?.DeliveryStreamStatus;
      if (status === 'ACTIVE') return ok(`${name} is active`);
      const why = told?.FailureDescription?.Details;
      if (status === 'CREATING')
        return warn(`${name} is being made`, 'No event can be sent yet: look again in a minute.');
      const remedy = `No event can be sent. ${restore(stackName)}`;
      return fail(`${name} is ${status}${why ? `: ${why}` : ''}`, remedy);
    } catch (cause) {
      const advice = 'You need firehose:DescribeDeliveryStream on it.';
      throw new AwsCallError(`The delivery stream ${name} could not be described`, advice, cause);
    }
  },
};

export const bucket: Check<DoctorContext> = {
  name: 'bucket',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { bucket: name } = await deployment();
    try {
      const { KeyCount: count = 0 } = await aws
        .s3()
        .send(new ListObjectsV2Command({ Bucket: name, Prefix: PREFIXES.events, MaxKeys: 1 }));
      return ok(`${name} ${count > 0 ? 'holds events' : 'holds no event yet'}`);
    } catch (cause) {
      throw new AwsCallError(`The bucket ${name} could not be listed`, 'You need s3:ListBucket on it.', cause);
    }
  },
};
