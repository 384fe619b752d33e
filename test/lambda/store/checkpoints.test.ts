import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { LeaseLostError, StateDamagedError } from '../../../lambda/core/errors.ts';
import { idTag } from '../../../lambda/core/hashes.ts';
import { BEGINNING } from '../../../lambda/core/stream-state.ts';
import type { Checkpoint, SavedStream } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import { checkpointKey, type Item, intentsKey } from '../../../lambda/store/item.ts';
import { sha256 } from '../../../lambda/system.ts';
import { awsScene } from '../support/aws-scene.ts';
import { rejection } from '../support/rejection.ts';

const STREAMS = ['assets', 'threats', 'dns-blocks'] as const;
const FRESH: SavedStream = { checkpoint: BEGINNING, intents: [] };
const FULL: Checkpoint = {
  cursor: 'a+b %=#&"\\ ключ🔑\u0000\n',
  previous: 'before',
  window: Array.from({ length: 1_000 }, (_, index) => sha256(String(index)).slice(0, 24)),
  generation: 7,
  names: { rows: 'data', pagination: 'page' },
  committed: '00000000070000000012',
  selection: 'f1f2f3',
  repairing: true,
};

async function scene() {
  const aws = await awsScene();
  const checkpoints = createCheckpoints(aws.table, sha256);
  const load = async () => (await checkpoints.load(STREAMS)).get('assets');
  const change = async (alter: (item: Record<string, unknown>) => void, key = checkpointKey('assets')) => {
    const [item] = await aws.table.get([key]);
    alter(item as Record<string, unknown>);
    await aws.clients.dynamodb.send(new PutItemCommand({ TableName: aws.aws.names.stateTable, Item: item as Item }));
  };
  return { ...aws, checkpoints, load, change };
}

describe('a checkpoint', () => {
  test('a checkpoint that was never saved is the beginning, and all streams are read in one request', async () => {
    await using each = await scene();
    expect([...(await each.checkpoints.load(STREAMS))]).toEqual(STREAMS.map(stream => [stream, FRESH]));
    expect(each.count('BatchGetItem')).toBe(1);
    expect(each.calls).toHaveLength(1);
  });

  test.each([
    ['full', FULL],
    ['at the beginning', FRESH.checkpoint],
    ['with the pagination at the top of the answer', { ...FULL, names: { rows: undefined, pagination: '' } }],
    ['emptied by a replay', { ...FRESH.checkpoint, generation: 9, repairing: true }],
  ])('a checkpoint (%s) comes back as it was saved', async (_what, checkpoint) => {
    await using each = await scene();
    await each.checkpoints.save('assets', checkpoint, 3);
    expect(await each.load()).toEqual({ checkpoint, intents: [] });
    const others = await each.checkpoints.load(['threats', 'dns-blocks']);
    expect([...others.values()]).toEqual([FRESH, FRESH]);
  });

  test('the intents of a stream come back as they were saved', async () => {
    await using each = await scene();
    const idTags = Array.from({ length: 500 }, (_, index) => idTag(`id-${index}`));
    const batches = [
      { sequence: '', idTags: idTags.slice(0, 3) },
      { sequence: '00000000030000000500', idTags },
      { sequence: '00000000030000000501', idTags: idTags.slice(0, 1) },
    ];
    await each.checkpoints.saveIntents('assets', batches, 3);
    expect(await each.load()).toEqual({ ...FRESH, intents: batches });
    await each.checkpoints.saveIntents('assets', [], 3);
    expect(await each.load()).toEqual(FRESH);
  });
});

describe('the fence', () => {
  test('the fence refuses the writes of an earlier epoch, and what is saved stays', async () => {
    await using each = await scene();
    await each.checkpoints.save('assets', FULL, 4);
    await each.checkpoints.saveIntents('assets', [], 4);
    const late = { ...FULL, cursor: 'late' };
    expect(await rejection(each.checkpoints.save('assets', late, 3))).toBeInstanceOf(LeaseLostError);
    expect(await rejection(each.checkpoints.saveIntents('assets', [], 3))).toBeInstanceOf(LeaseLostError);
    expect(await each.load()).toEqual({ checkpoint: FULL, intents: [] });
    await each.checkpoints.save('assets', late, 4);
    expect(await each.load()).toEqual({ checkpoint: late, intents: [] });
  });

  test('a raised fence refuses every write of the run before, also where nothing has been saved', async () => {
    await using each = await scene();
    await each.checkpoints.save('assets', FULL, 4);
    await each.checkpoints.fence(STREAMS, 5);
    for (const stream of STREAMS) {
      expect(await rejection(each.checkpoints.save(stream, FULL, 4))).toBeInstanceOf(LeaseLostError);
      expect(await rejection(each.checkpoints.saveIntents(stream, [], 4))).toBeInstanceOf(LeaseLostError);
    }
  });

  test('a raised fence leaves stubs that read as the beginning, and what was saved stays readable', async () => {
    await using each = await scene();
    await each.checkpoints.save('threats', FULL, 4);
    await each.checkpoints.fence(STREAMS, 5);
    expect([...(await each.checkpoints.load(STREAMS))]).toEqual([
      ['assets', FRESH],
      ['threats', { checkpoint: FULL, intents: [] }],
      ['dns-blocks', FRESH],
    ]);
    await each.checkpoints.save('assets', FULL, 5);
    expect(await each.load()).toEqual({ checkpoint: FULL, intents: [] });
  });

  test('the fence is not lowered by a run that wakes late', async () => {
    await using each = await scene();
    await each.checkpoints.fence(STREAMS, 5);
    expect(await rejection(each.checkpoints.fence(STREAMS, 4))).toBeInstanceOf(LeaseLostError);
  });

  test('the fence survives lost answers', async () => {
    await using each = await scene();
    const lost = { loseAnswer: true };
    each.aws.faults.next('dynamodb', lost, lost, lost, lost, lost, lost, lost, lost);
    await each.checkpoints.fence(STREAMS, 5);
    each.aws.faults.next('dynamodb', lost, lost);
    await each.checkpoints.save('assets', FULL, 5);
    expect(await each.load()).toEqual({ checkpoint: FULL, intents: [] });
  });
});

describe('damaged checkpoints', () => {
  test.each<readonly [string, (item: Record<string, unknown>) => void]>([
    ['an older version wrote it', item => (item['v'] = { N: '0' })],
    ['a newer version wrote it', item => (item['v'] = { N: '2' })],
    ['it has no version', item => delete item['v']],
    ['its cursor was changed', item => (item['cursor'] = { S: 'other' })],
    ['its cursor was taken away', item => delete item['cursor']],
    ['a member was added', item => (item['note'] = { S: 'by hand' })],
    ['its generation became a text', item => (item['generation'] = { S: '7' })],
    ['its window was cut', item => (item['window'] = { B: Buffer.from('00', 'hex') })],
    ['its checksum was taken away', item => delete item['seal']],
  ])('a checkpoint is damaged, and never read, when %s', async (_what, alter) => {
    await using each = await scene();
    await each.checkpoints.save('assets', FULL, 3);
    await each.change(alter);
    const error = await each.load();
    expect(error).toBeInstanceOf(StateDamagedError);
    expect((error as Error).message).toContain('{"resync":["assets"]}');
    expect((await each.checkpoints.load(['threats'])).get('threats')).toEqual(FRESH);
  });

  test('a checkpoint is damaged, and never read, when its intents were changed', async () => {
    await using each = await scene();
    await each.checkpoints.saveIntents('assets', [{ sequence: '', idTags: [idTag('a')] }], 3);
    await each.change(item => (item['batches'] = { S: '' }), intentsKey('assets'));
    expect(await each.load()).toBeInstanceOf(StateDamagedError);
  });

  test('a checkpoint is damaged, and never read, when it was copied from another stream', async () => {
    await using each = await scene();
    await each.checkpoints.save('threats', FULL, 3);
    const [item] = await each.table.get([checkpointKey('threats')]);
    await each.table.putFenced({ ...item, ...checkpointKey('assets') }, 3);
    expect(await each.load()).toBeInstanceOf(StateDamagedError);
  });
});
