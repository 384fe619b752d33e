import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';
import { LeaseLostError, StateVersionError } from '../../../lambda/core/errors.ts';
import type { Checkpoint, Fence, LogEntry, SavedStream } from '../../../lambda/ports.ts';
import { createCheckpointStore } from '../../../lambda/store/checkpoints.ts';
import { checkpointKey } from '../../../lambda/store/item.ts';
import { sha256 } from '../../../lambda/system.ts';
import { awsScene } from '../../support/function/aws-scene.ts';
import { rejection } from '../../support/function/rejection.ts';

const STREAMS = ['assets', 'threats', 'dns-blocks'] as const;
const FRESH: SavedStream = { checkpoint: INITIAL_CHECKPOINT, log: undefined };
const LOG: LogEntry = { sequence: '00000000070000000013', key: 'log/assets/00000000070000000013', earlier: [] };
const FULL: Checkpoint = {
  cursor: 'a+b %=#&"\\ ключ🔑\u0000\n',
  previous: 'before',
  window: Array.from({ length: 1_000 }, (_, index) => sha256(String(index)).slice(0, 24)),
  generation: 7,
  names: { rows: 'data', pagination: 'page' },
  committed: '00000000070000000012',
  filter: 'f1f2f3',
  counts: { existing: 2, listed: 1 },
  refresh: { cursor: 'r', started: 1, rows: 2, lastRows: 3, pages: 4, mark: 'digest' },
};

const at = (epoch: number, write = 1): Fence => ({ epoch, write });

async function scene() {
  const aws = await awsScene();
  const checkpoints = createCheckpointStore(aws.table);
  const load = async () => (await checkpoints.load(STREAMS)).streams.get('assets');
  return { ...aws, checkpoints, load };
}

test('a checkpoint of another format version fails only its own stream', async () => {
  await using each = await scene();
  for (const stream of STREAMS) await each.checkpoints.save(stream, FULL, at(3));
  const [item] = await each.table.get([checkpointKey('assets')]);
  await each.table.putFenced({ ...item, v: { N: '1' } }, at(3));
  const { streams } = await each.checkpoints.load(STREAMS);
  expect(streams.get('assets')).toBeInstanceOf(StateVersionError);
  expect(streams.get('threats')).toEqual({ checkpoint: FULL, log: undefined });
});

describe('the fence', () => {
  test('the fence refuses the writes of an earlier epoch', async () => {
    await using each = await scene();
    await each.checkpoints.save('assets', FULL, at(4));
    await each.checkpoints.saveLog('assets', LOG, at(4));
    const late = { ...FULL, cursor: 'late' };
    expect(await rejection(each.checkpoints.save('assets', late, at(3)))).toBeInstanceOf(LeaseLostError);
    expect(await rejection(each.checkpoints.saveLog('assets', LOG, at(3)))).toBeInstanceOf(LeaseLostError);
    await each.checkpoints.saveOrganization('new', at(4));
    expect(await rejection(each.checkpoints.saveOrganization('late', at(3)))).toBeInstanceOf(LeaseLostError);
    expect((await each.checkpoints.load([])).organization).toBe('new');
    expect(await each.load()).toEqual({ checkpoint: FULL, log: LOG });
    await each.checkpoints.save('assets', late, at(4));
    expect(await each.load()).toEqual({ checkpoint: late, log: LOG });
  });

  test('a raised fence refuses every write of the previous run, even for streams without a checkpoint', async () => {
    await using each = await scene();
    await each.checkpoints.save('assets', FULL, at(4));
    await each.checkpoints.fence(STREAMS, 5);
    expect(await rejection(each.checkpoints.fence(STREAMS, 4))).toBeInstanceOf(LeaseLostError);
    for (const stream of STREAMS) {
      expect(await rejection(each.checkpoints.save(stream, FULL, at(4)))).toBeInstanceOf(LeaseLostError);
      expect(await rejection(each.checkpoints.saveLog(stream, LOG, at(4)))).toBeInstanceOf(LeaseLostError);
    }
  });

  test('a raised fence keeps saved checkpoints, and streams without a checkpoint still read as new', async () => {
    await using each = await scene();
    await each.checkpoints.save('threats', FULL, at(4));
    await each.checkpoints.fence(STREAMS, 5);
    expect([...(await each.checkpoints.load(STREAMS)).streams]).toEqual([
      ['assets', FRESH],
      ['threats', { checkpoint: FULL, log: undefined }],
      ['dns-blocks', FRESH],
    ]);
    await each.checkpoints.save('assets', FULL, at(5));
    expect(await each.load()).toEqual({ checkpoint: FULL, log: undefined });
  });

  test('the fence is raised even when answers are lost', async () => {
    await using each = await scene();
    const lost = { loseAnswer: true };
    each.aws.faults.next('dynamodb', lost, lost, lost, lost, lost, lost, lost, lost);
    await each.checkpoints.fence(STREAMS, 5);
    each.aws.faults.next('dynamodb', lost, lost);
    await each.checkpoints.save('assets', FULL, at(5));
    expect(await each.load()).toEqual({ checkpoint: FULL, log: undefined });
  });
});
