import { describe, expect, test } from '@jest/globals';
import { BEGINNING } from '../../../lambda/core/decide.ts';
import { LeaseLostError, StateVersionError } from '../../../lambda/core/errors.ts';
import { idTag } from '../../../lambda/core/hashes.ts';
import type { Checkpoint, SavedStream } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import { checkpointKey } from '../../../lambda/store/item.ts';
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
  selections: 3,
  refresh: { cursor: 'r', started: 1, rows: 2, lastRows: 3, pages: 4, mark: 'digest' },
};

async function scene() {
  const aws = await awsScene();
  const checkpoints = createCheckpoints(aws.table);
  const load = async () => (await checkpoints.load(STREAMS)).streams.get('assets');
  return { ...aws, checkpoints, load };
}

describe('a checkpoint', () => {
  test('a checkpoint that was never saved is the beginning, and all streams are read in one request', async () => {
    await using each = await scene();
    expect(await each.checkpoints.load(STREAMS)).toEqual({
      streams: new Map(STREAMS.map(stream => [stream, FRESH])),
      organization: undefined,
    });
    expect(each.count('BatchGetItem')).toBe(1);
    expect(each.calls).toHaveLength(1);
  });

  test.each([
    ['full', FULL],
    ['with the pagination at the top of the answer', { ...FULL, names: { rows: undefined, pagination: '' } }],
  ])('a checkpoint (%s) comes back as it was saved', async (_what, checkpoint) => {
    await using each = await scene();
    await each.checkpoints.save('assets', checkpoint, 3);
    expect(await each.load()).toEqual({ checkpoint, intents: [] });
    const others = await each.checkpoints.load(['threats', 'dns-blocks']);
    expect([...others.streams.values()]).toEqual([FRESH, FRESH]);
  });

  test('the intents of a stream come back as they were saved', async () => {
    await using each = await scene();
    const idTags = Array.from({ length: 500 }, (_, index) => idTag(`id-${index}`));
    const batches = [
      { first: '00000000020000000001', sequence: '', idTags: idTags.slice(0, 3), goneTags: idTags.slice(1, 2) },
      { first: '00000000030000000001', sequence: '00000000030000000500', idTags, goneTags: idTags },
      { first: '00000000030000000501', sequence: '00000000030000000501', idTags: idTags.slice(0, 1), goneTags: [] },
    ];
    await each.checkpoints.saveIntents('assets', batches, 3);
    expect(await each.load()).toEqual({ ...FRESH, intents: batches });
    await each.checkpoints.saveIntents('assets', [], 3);
    expect(await each.load()).toEqual(FRESH);
  });
});

test('a checkpoint of another version fails its own stream, and the others stay readable', async () => {
  await using each = await scene();
  for (const stream of STREAMS) await each.checkpoints.save(stream, FULL, 3);
  const [item] = await each.table.get([checkpointKey('assets')]);
  await each.table.putFenced({ ...item, v: { N: '2' } }, 3);
  const { streams } = await each.checkpoints.load(STREAMS);
  expect(streams.get('assets')).toBeInstanceOf(StateVersionError);
  expect(streams.get('threats')).toEqual({ checkpoint: FULL, intents: [] });
});

describe('the fence', () => {
  test('the fence refuses the writes of an earlier epoch, and what is saved stays', async () => {
    await using each = await scene();
    await each.checkpoints.save('assets', FULL, 4);
    await each.checkpoints.saveIntents('assets', [], 4);
    const late = { ...FULL, cursor: 'late' };
    expect(await rejection(each.checkpoints.save('assets', late, 3))).toBeInstanceOf(LeaseLostError);
    expect(await rejection(each.checkpoints.saveIntents('assets', [], 3))).toBeInstanceOf(LeaseLostError);
    await each.checkpoints.saveOrganization('new', 4);
    expect(await rejection(each.checkpoints.saveOrganization('late', 3))).toBeInstanceOf(LeaseLostError);
    expect((await each.checkpoints.load([])).organization).toBe('new');
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
    expect([...(await each.checkpoints.load(STREAMS)).streams]).toEqual([
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
