import {
  ListMessageMoveTasksCommand,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import { queueArn, type SqsScene, sqsScene } from './sqs-scene.ts';

const SourceArn = queueArn('dead');

function start(each: SqsScene, input: Partial<StartMessageMoveTaskCommandInput> = {}) {
  return each.client.send(new StartMessageMoveTaskCommand({ SourceArn, ...input }));
}

async function tasks(each: SqsScene) {
  const { Results } = await each.client.send(new ListMessageMoveTasksCommand({ SourceArn }));
  return Results;
}

function bodies(each: SqsScene, queue: string): string[] {
  return each.controls.messages(queue).map(({ body }) => body);
}

describe('a move of messages', () => {
  test('returns them to their source queue as new messages, and is listed', async () => {
    await using each = await sqsScene();
    for (const body of ['a', 'b']) {
      each.controls.send('dead', { body, sent: 900_000, sourceArn: queueArn('main') });
    }
    expect(await start(each)).toMatchObject({ TaskHandle: expect.any(String) });
    expect([bodies(each, 'dead'), bodies(each, 'main')]).toEqual([[], ['a', 'b']]);
    expect(each.controls.messages('main')[0]).toMatchObject({ sent: 1_000_000, sourceArn: undefined });
    expect(await tasks(each)).toEqual([
      {
        Status: 'COMPLETED',
        SourceArn,
        ApproximateNumberOfMessagesMoved: 2,
        ApproximateNumberOfMessagesToMove: 2,
        StartedTimestamp: 1_000_000,
      },
    ]);
    expect(each.permissions).toEqual([
      ['sqs:StartMessageMoveTask', SourceArn],
      ['sqs:ListMessageMoveTasks', SourceArn],
    ]);
  });

  test('fails at a message without a source queue, which stays', async () => {
    await using each = await sqsScene();
    each.controls.send('dead', { body: 'a', sourceArn: queueArn('main') });
    each.controls.send('dead', { body: 'sent by hand' });
    await start(each);
    expect([bodies(each, 'dead'), bodies(each, 'main')]).toEqual([['sent by hand'], ['a']]);
    expect(await tasks(each)).toMatchObject([
      { Status: 'FAILED', ApproximateNumberOfMessagesMoved: 1, FailureReason: 'CouldNotDetermineMessageSource' },
    ]);
  });

  test.each<[string, Partial<StartMessageMoveTaskCommandInput>, string, string]>([
    [
      'a queue that is not a dead-letter queue',
      { SourceArn: queueArn('apart') },
      'InvalidParameterValue',
      'Source queue must be configured as a Dead Letter Queue.',
    ],
    [
      'a queue that does not exist',
      { SourceArn: queueArn('nothing') },
      'ResourceNotFoundException',
      "The resource that you specified for the SourceArn parameter doesn't exist.",
    ],
  ])('out of %s is refused, and no message moves', async (_what, input, name, message) => {
    await using each = await sqsScene();
    each.controls.send('dead', { body: 'a', sourceArn: queueArn('main') });
    await expect(start(each, input)).rejects.toMatchObject({ name, message });
    expect([bodies(each, 'dead'), await tasks(each)]).toEqual([['a'], []]);
  });
});
