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
  test('returns the requested attributes, all, or none', async () => {
    await using each = await sqsScene();
    expect(await attributes(each, 'main', 'QueueArn', 'VisibilityTimeout', 'Policy')).toEqual({
      QueueArn: queueArn('main'),
      VisibilityTimeout: '600',
    });
    const all = await attributes(each, 'main', 'All');
    expect(all).toMatchObject({ ApproximateNumberOfMessages: '0', MessageRetentionPeriod: '345600' });
    expect(JSON.parse(all!['RedrivePolicy']!)).toEqual({ deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 2 });
    expect(Object.keys((await attributes(each, 'dead', 'All'))!)).not.toContain('RedrivePolicy');
    expect(await attributes(each, 'main')).toEqual({});
  });

  test('counts what is there and in flight', async () => {
    await using each = await sqsScene();
    for (const body of ['a', 'b', 'c']) each.controls.send('main', { body });
    await receive(each);
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    expect(Object.values((await attributes(each, 'main', ...names))!)).toEqual(['2', '1']);
  });

  test('that is not there is refused, whoever asks', async () => {
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
  test('are received, hidden meanwhile, and gone once they are deleted', async () => {
    await using each = await sqsScene();
    const text = 'ü "quoted" <b>';
    const MessageAttributes = { CODE: { DataType: 'String', StringValue: 'x' } };
    each.controls.send('main', { body: text, attributes: MessageAttributes });
    each.advance(5);
    const names = { MessageSystemAttributeNames: ['All' as const], MessageAttributeNames: ['All'] };
    const { Messages } = await receive(each, names);
    expect(Messages).toHaveLength(1);
    const [{ Body, Attributes, ReceiptHandle, MessageAttributes: own } = {}] = Messages!;
    expect([Body, own]).toEqual([text, MessageAttributes]);
    expect(Attributes).toEqual({
      SentTimestamp: '1000000',
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: '1005000',
    });
    expect((await receive(each)).Messages).toBeUndefined();
    await each.client.send(new DeleteMessageCommand({ QueueUrl: each.url('main'), ReceiptHandle }));
    each.advance(3600);
    expect((await receive(each)).Messages).toBeUndefined();
  });

  test('come back when their visibility timeout is over', async () => {
    await using each = await sqsScene();
    each.controls.send('main', { body: 'a' });
    await receive(each, { VisibilityTimeout: 10 });
    each.advance(9);
    expect((await receive(each)).Messages).toBeUndefined();
    each.advance(1);
    expect((await receive(each)).Messages![0]!.Body).toBe('a');
  });

  test('go to the dead-letter queue when they were received too often, and say where from', async () => {
    await using each = await sqsScene();
    each.controls.send('main', { body: 'a' });
    for (const _ of [1, 2]) expect((await receive(each, { VisibilityTimeout: 0 })).Messages).toHaveLength(1);
    expect((await receive(each)).Messages).toBeUndefined();
    const names = { MessageSystemAttributeNames: ['DeadLetterQueueSourceArn' as const] };
    const { Messages } = await receive(each, { QueueUrl: each.url('dead'), ...names });
    expect(Messages![0]).toMatchObject({ Body: 'a', Attributes: { DeadLetterQueueSourceArn: queueArn('main') } });
  });

  test('are gone when their retention is over', async () => {
    await using each = await sqsScene();
    each.controls.send('main', { body: 'old', sent: 1_000_000 - 345_600_000 });
    each.controls.send('main', { body: 'new' });
    each.advance(1);
    expect(each.controls.messages('main').map(({ body }) => body)).toEqual(['new']);
  });

  test('come up to ten at once', async () => {
    await using each = await sqsScene();
    for (let n = 0; n < 12; n += 1) each.controls.send('main', { body: String(n) });
    expect((await receive(each, { MaxNumberOfMessages: 10 })).Messages).toHaveLength(10);
    await expect(receive(each, { MaxNumberOfMessages: 11 })).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('with a handle that no receive gave are refused', async () => {
    await using each = await sqsScene();
    const strange = each.client.send(new DeleteMessageCommand({ QueueUrl: each.url('main'), ReceiptHandle: 'x' }));
    await expect(strange).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid' });
  });
});

test('throttled and unsupported actions are refused, and a test that names an unknown queue gets a RangeError', async () => {
  await using each = await sqsScene();
  each.faults.next('sqs', THROTTLED.sqs);
  await expect(receive(each)).rejects.toMatchObject({ name: 'RequestThrottled' });
  await expect(each.client.send(new ListQueuesCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' });
  expect(() => each.controls.send('nothing', { body: 'a' })).toThrow('No queue is named nothing.');
});
