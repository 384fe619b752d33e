import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import { THROTTLED } from '../../../local/aws/faults.ts';
import { queueArn, type SqsScene, sqsScene } from './sqs-scene.ts';

function receive(each: SqsScene, input: Partial<ReceiveMessageCommandInput> = {}) {
  return each.client.send(new ReceiveMessageCommand({ QueueUrl: each.url('main'), ...input }));
}

async function attributes(each: SqsScene, queue: string, ...AttributeNames: QueueAttributeName[]) {
  const command = new GetQueueAttributesCommand({ QueueUrl: each.url(queue), AttributeNames });
  return (await each.client.send(command)).Attributes;
}

describe('a queue', () => {
  test('returns the requested attributes that it has', async () => {
    await using each = await sqsScene();
    const names = ['QueueArn', 'VisibilityTimeout', 'MessageRetentionPeriod', 'Policy'] as const;
    expect(await attributes(each, 'main', ...names)).toEqual({
      QueueArn: queueArn('main'),
      VisibilityTimeout: '600',
      MessageRetentionPeriod: '345600',
    });
    expect(await attributes(each, 'main')).toEqual({});
  });

  test('counts visible messages and messages in flight', async () => {
    await using each = await sqsScene();
    for (const body of ['a', 'b', 'c']) each.controls.send('main', { body });
    await receive(each);
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    expect(Object.values((await attributes(each, 'main', ...names))!)).toEqual(['2', '1']);
  });

  test('that does not exist is refused', async () => {
    await using each = await sqsScene();
    const QueueUrl = each.url('nothing');
    for (const command of [new GetQueueAttributesCommand({ QueueUrl }), new ReceiveMessageCommand({ QueueUrl })]) {
      await expect(each.client.send(command as ReceiveMessageCommand)).rejects.toMatchObject({
        name: 'QueueDoesNotExist',
        message: 'The specified queue does not exist.',
        Code: 'AWS.SimpleQueueService.NonExistentQueue',
        $metadata: { httpStatusCode: 400 },
      });
    }
  });
});

describe('messages', () => {
  test('are hidden while they are received, and gone once they are deleted', async () => {
    await using each = await sqsScene();
    const text = 'ü "quoted" <b>';
    const MessageAttributes = { CODE: { DataType: 'String', StringValue: 'x' } };
    each.controls.send('main', { body: text, attributes: MessageAttributes });
    each.advance(5);
    const names = { MessageSystemAttributeNames: ['SentTimestamp' as const], MessageAttributeNames: ['CODE'] };
    const { Messages } = await receive(each, names);
    expect(Messages).toHaveLength(1);
    const [{ Body, Attributes, ReceiptHandle, MessageAttributes: own } = {}] = Messages!;
    expect([Body, own]).toEqual([text, MessageAttributes]);
    expect(Attributes).toEqual({ SentTimestamp: '1000000' });
    expect((await receive(each)).Messages).toBeUndefined();
    await each.client.send(new DeleteMessageCommand({ QueueUrl: each.url('main'), ReceiptHandle }));
    each.advance(3600);
    expect((await receive(each)).Messages).toBeUndefined();
  });

  test('are visible again when their visibility timeout has ended', async () => {
    await using each = await sqsScene();
    each.controls.send('main', { body: 'a' });
    await receive(each, { VisibilityTimeout: 10 });
    each.advance(9);
    expect((await receive(each)).Messages).toBeUndefined();
    each.advance(1);
    expect((await receive(each)).Messages![0]!.Body).toBe('a');
  });

  test('are received up to ten at once', async () => {
    await using each = await sqsScene();
    for (let n = 0; n < 12; n += 1) each.controls.send('main', { body: String(n) });
    expect((await receive(each, { MaxNumberOfMessages: 10 })).Messages).toHaveLength(10);
    await expect(receive(each, { MaxNumberOfMessages: 11 })).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

test('throttled and unsupported actions are refused, and a test that names an unknown queue gets a RangeError', async () => {
  await using each = await sqsScene();
  each.faults.next('sqs', THROTTLED.sqs);
  await expect(receive(each)).rejects.toMatchObject({ name: 'RequestThrottled' });
  await expect(each.client.send(new ListQueuesCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' });
  expect(() => each.controls.send('nothing', { body: 'a' })).toThrow('No queue is named nothing.');
});
