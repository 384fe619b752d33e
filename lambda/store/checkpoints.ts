/**
 * Stores checkpoints, the names of logs and the organization in the state table. Every write has
 * the fence as its condition, so that it cannot replace a later write.
 */
import { INITIAL_CHECKPOINT } from '../core/checkpoint.ts';
import { LeaseLostError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import type { Checkpoint, CheckpointStore, Fence, LogEntry, SavedStream } from '../ports.ts';
import { checkedItem, checkpointKey, type Item, type Key, logKey, organizationKey, versionedItem } from './item.ts';
import type { Table } from './table.ts';

const VERSION_TAG_BYTES = 12;

/** @param unclearWrites returns the number of writes to the table with an unclear answer */
export function createCheckpointStore(table: Table, unclearWrites: () => number = () => 0): CheckpointStore {
  const write = async (item: Item, fence: Fence) => {
    if (!(await table.putFenced(item, fence))) throw new LeaseLostError('a later run has raised the fence');
  };
  return {
    async load(streams) {
      const keys = streams.flatMap(stream => [checkpointKey(stream), logKey(stream)]);
      const items = await table.get([...keys, organizationKey]);
      const find = ({ pk, sk }: Key) => items.find(item => item['pk']?.S === pk.S && item['sk']?.S === sk.S);
      const saved = streams.map(stream => {
        return [stream, readSaved(find(checkpointKey(stream)), find(logKey(stream)))] as const;
      });
      const organization = find(organizationKey);
      return { streams: new Map(saved), organization: organization && checkedItem(organization)['digest']?.S };
    },
    save: (stream, checkpoint, fence) =>
      write(versionedItem(checkpointKey(stream), encodeCheckpoint(checkpoint)), fence),
    saveLog: (stream, { sequence, key, earlier }, fence) => {
      const members = { sequence: { S: sequence }, object: { S: key }, earlier: { L: earlier.map(S => ({ S })) } };
      return write(versionedItem(logKey(stream), members), fence);
    },
    saveOrganization: (digest, fence) => write(versionedItem(organizationKey, { digest: { S: digest } }), fence),
    async fence(streams, epoch) {
      const keys = streams.flatMap(stream => [checkpointKey(stream), logKey(stream)]);
      const raised = await inParallel(keys, key => raiseFence(table, key, epoch));
      if (raised.includes(false)) throw new LeaseLostError('a later run has raised the fence');
    },
    unclearWrites,
  };
}

/**
 * Raises the fence of an item. If there was no item, the update creates an item that holds only the
 * fence. Such an item is read as the beginning, like a missing item.
 */
async function raiseFence(table: Table, key: Key, epoch: number): Promise<boolean> {
  const raised = await table.update({
    Key: key,
    UpdateExpression: 'SET epoch = :epoch, write_number = :none',
    ConditionExpression: 'attribute_not_exists(epoch) OR epoch <= :epoch',
    ExpressionAttributeValues: { ':epoch': { N: String(epoch) }, ':none': { N: '0' } },
  });
  return raised !== undefined;
}

/** @returns the saved state, or the StateVersionError with which the stream must fail */
function readSaved(checkpoint: Item | undefined, log: Item | undefined): SavedStream | Error {
  try {
    return { checkpoint: decodeCheckpoint(checkpoint), log: decodeLog(log) };
  } catch (error) {
    return error as Error;
  }
}

const FENCE_MEMBERS: readonly string[] = ['pk', 'sk', 'epoch', 'write_number'];

function isBare(item: Item): boolean {
  return Object.keys(item).every(name => FENCE_MEMBERS.includes(name));
}

function decodeLog(item: Item | undefined): LogEntry | undefined {
  if (!item || isBare(item)) return undefined;
  const { sequence, object, earlier } = checkedItem(item);
  return { sequence: sequence!.S!, key: object!.S!, earlier: earlier!.L!.map(({ S }) => S!) };
}

/**
 * The window takes most of the item, so it is kept as bytes. The rest is small, so it is kept as
 * JSON, which an operator can read.
 */
function encodeCheckpoint({ window, ...rest }: Checkpoint): Item {
  return { window: { B: Buffer.from(window.join(''), 'hex') }, state: { S: JSON.stringify(rest) } };
}

function decodeCheckpoint(item: Item | undefined): Checkpoint {
  if (!item || isBare(item)) return INITIAL_CHECKPOINT;
  const { window, state } = checkedItem(item);
  return { ...INITIAL_CHECKPOINT, ...JSON.parse(state!.S!), window: slices(window!.B!, VERSION_TAG_BYTES) };
}

function slices(bytes: Uint8Array, size: number): string[] {
  const hex = Buffer.from(bytes).toString('hex');
  const parts: string[] = [];
  for (let at = 0; at < hex.length; at += size * 2) parts.push(hex.slice(at, at + size * 2));
  return parts;
}
