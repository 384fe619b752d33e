import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  SQSClient,
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
  test('is found by its name, and its URL leads a client of the environment to it', async () => {
    await using each = await sqsScene();
    const { QueueUrl } = await each.client.send(new GetQueueUrlCommand({ QueueName: 'main' }));
    expect(QueueUrl).toBe(each.url('main'));
    process.env['AWS_ENDPOINT_URL_SQS'] = each.config.endpoint;
    const { region, credentials } = each.config;
    await new SQSClient({ region, credentials }).send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    delete process.env['AWS_ENDPOINT_URL_SQS'];
    expect(each.permissions).toEqual([
      ['sqs:GetQueueUrl', queueArn('main')],
      ['sqs:SendMessage', queueArn('main')],
    ]);
  });

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
    await expect(attributes(each, 'main', 'Length' as 'All')).rejects.toMatchObject({
      name: 'InvalidAttributeName',
      message: 'Unknown Attribute Length.',
    });
  });

  test('counts what is there, in flight and delayed', async () => {
    await using each = await sqsScene();
    for (const MessageBody of ['a', 'b', 'c']) {
      await each.client.send(new SendMessageCommand({ QueueUrl: each.url('main'), MessageBody }));
    }
    await each.client.send(new SendMessageCommand({ QueueUrl: each.url('main'), MessageBody: 'd', DelaySeconds: 60 }));
    await receive(each);
    const counts = (suffix: string) => `ApproximateNumberOfMessages${suffix}` as QueueAttributeName;
    const names = ['', 'NotVisible', 'Delayed'].map(counts);
    expect(Object.values((await attributes(each, 'main', ...names))!)).toEqual(['2', '1', '1']);
    each.advance(60);
    expect(Object.values((await attributes(each, 'main', ...names))!)).toEqual(['3', '1', '0']);
  });

  test('that is not there is refused, whoever asks', async () => {
    await using each = await sqsScene();
    const QueueUrl = each.url('nothing');
    for (const command of [
      new GetQueueUrlCommand({ QueueName: 'nothing' }),
      new GetQueueAttributesCommand({ QueueUrl }),
      new SendMessageCommand({ QueueUrl, MessageBody: 'x' }),
      new ReceiveMessageCommand({ QueueUrl }),
    ]) {
      await expect(each.client.send(command as GetQueueUrlCommand)).rejects.toMatchObject({
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
    await each.client.send(
      new SendMessageCommand({ QueueUrl: each.url('main'), MessageBody: text, MessageAttributes }),
    );
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

  test('come back when the time to work on them is over, or given back', async () => {
    await using each = await sqsScene();
    each.controls.send('main', { body: 'a' });
    const { Messages } = await receive(each, { VisibilityTimeout: 10 });
    const ReceiptHandle = Messages![0]!.ReceiptHandle;
    each.advance(9);
    expect((await receive(each)).Messages).toBeUndefined();
    await each.client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: each.url('main'), ReceiptHandle, VisibilityTimeout: 0 }),
    );
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

  test('without a body, and handles that no receive gave, are refused', async () => {
    await using each = await sqsScene();
    const QueueUrl = each.url('main');
    const empty = each.client.send(new SendMessageCommand({ QueueUrl, MessageBody: '' }));
    await expect(empty).rejects.toMatchObject({ name: 'MissingParameter' });
    const strange = each.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'x' }));
    await expect(strange).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid' });
    each.controls.send('main', { body: 'a' });
    const ReceiptHandle = (await receive(each)).Messages![0]!.ReceiptHandle;
    await each.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    const gone = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
    await expect(each.client.send(gone)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

test('throttled and unsupported actions are refused, and a test that names an unknown queue gets a RangeError', async () => {
  await using each = await sqsScene();
  each.faults.next('sqs', THROTTLED.sqs);
  await expect(receive(each)).rejects.toMatchObject({ name: 'RequestThrottled' });
  await expect(each.client.send(new ListQueuesCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' });
  expect(() => each.controls.send('nothing', { body: 'a' })).toThrow('No queue is named nothing.');
});
