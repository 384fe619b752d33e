/** Checkpoints and intents in the state table, every write under the fence. Names of attributes are kept for the items of earlier versions. */
import { LeaseLostError, StateDamagedError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import { BEGINNING } from '../core/stream-state.ts';
import type { Checkpoint, Checkpoints, Hash, Intent, RefreshProgress, SavedStream } from '../ports.ts';
import type { StreamName } from '../streams.ts';
import { checkpointKey, type Item, integrityError, intentsKey, type Key, refreshKey, withChecksum } from './item.ts';
import type { Table } from './table.ts';

const VERSION_TAG_BYTES = 12;
const ID_TAG_BYTES = 7;

export function createCheckpoints(table: Table, hash: Hash): Checkpoints {
  const write = async (item: Item, epoch: number) => {
    if (!(await table.putFenced(item, epoch))) throw new LeaseLostError('a later run has raised the fence');
  };
  return {
    async load(streams) {
      const items = await table.get(streams.flatMap(stream => [checkpointKey(stream), intentsKey(stream)]));
      const find = ({ pk, sk }: Key) => items.find(each => each['pk']?.S === pk.S && each['sk']?.S === sk.S);
      return new Map(
        streams.map(stream => {
          return [stream, readSaved(stream, find(checkpointKey(stream)), find(intentsKey(stream)), hash)];
        }),
      );
    },
    save: (stream, checkpoint, epoch) => write(withChecksum(checkpointKey(stream), encode(checkpoint), hash), epoch),
    saveIntents: (stream, intents, epoch) =>
      write(withChecksum(intentsKey(stream), encodeIntents(intents), hash), epoch),
    async loadRefresh(stream) {
      const [item] = await table.get([refreshKey(stream)]);
      // One that cannot be read costs a pass that counts pages again.
      return item && !integrityError(item, hash) ? decodeRefresh(item) : undefined;
    },
    saveRefresh: (stream, progress, epoch) =>
      write(withChecksum(refreshKey(stream), encodeRefresh(progress), hash), epoch),
    async fence(streams, epoch) {
      const keys = streams.flatMap(stream => [checkpointKey(stream), intentsKey(stream)]);
      const raised = await inParallel(keys, key => raiseFence(table, key, epoch));
      if (raised.includes(false)) throw new LeaseLostError('a later run has raised the fence');
    },
  };
}

/** Leaves an item of nothing but the fence where there was none: it reads as the beginning. */
async function raiseFence(table: Table, key: Key, epoch: number): Promise<boolean> {
  const raised = await table.update({
    Key: key,
    UpdateExpression: 'SET epoch = :epoch',
    ConditionExpression: 'attribute_not_exists(epoch) OR epoch <= :epoch',
    ExpressionAttributeValues: { ':epoch': { N: String(epoch) } },
  });
  return raised !== undefined;
}

function readSaved(stream: StreamName, checkpoint: Item | undefined, intents: Item | undefined, hash: Hash) {
  const wrong = (what: string, why: string) => new StateDamagedError(what, stream, why);
  for (const [what, item] of [
    ['The checkpoint', checkpoint],
    ['The intent', intents],
  ] as const) {
    const why = item && !isBare(item) ? integrityError(item, hash) : undefined;
    if (why) return wrong(what, why);
  }
  const saved: SavedStream = { checkpoint: decode(checkpoint), intents: decodeIntents(intents) };
  return saved;
}

function isBare(item: Item): boolean {
  return Object.keys(item).every(name => name === 'pk' || name === 'sk' || name === 'epoch');
}

function encode(checkpoint: Checkpoint): Item {
  const { cursor, previous, window, generation, names, committed, selection, repairing } = checkpoint;
  return {
    ...optional('cursor', cursor),
    ...optional('previous', previous),
    ...optional('rows_member', names.rows),
    ...optional('pagination_member', names.pagination),
    window: { B: Buffer.from(window.join(''), 'hex') },
    generation: { N: String(generation) },
    settled: { S: committed },
    ...(selection === '' ? {} : { selection: { S: selection } }),
    mending: { BOOL: repairing },
  };
}

function decode(item: Item | undefined): Checkpoint {
  if (!item || isBare(item)) return BEGINNING;
  return {
    cursor: item['cursor']?.S,
    previous: item['previous']?.S,
    window: slices(item['window']?.B, VERSION_TAG_BYTES),
    generation: Number(item['generation']?.N),
    names: { rows: item['rows_member']?.S, pagination: item['pagination_member']?.S },
    committed: item['settled']?.S ?? '',
    selection: item['selection']?.S ?? '',
    repairing: item['mending']?.BOOL ?? false,
  };
}

function encodeRefresh({ cursor, started, pages, lastPages }: RefreshProgress): Item {
  return {
    ...optional('cursor', cursor),
    last_pages: { N: String(lastPages) },
    pages: { N: String(pages) },
    started: { N: String(started) },
  };
}

function decodeRefresh(item: Item): RefreshProgress {
  return {
    cursor: item['cursor']?.S,
    started: Number(item['started']?.N),
    pages: Number(item['pages']?.N),
    lastPages: Number(item['last_pages']?.N),
  };
}

/** One line per intent: `<sequence> <id tags in base64>`. */
function encodeIntents(intents: readonly Intent[]): Item {
  const lines = intents.map(
    ({ sequence, idTags }) => `${sequence} ${Buffer.from(idTags.join(''), 'hex').toString('base64')}`,
  );
  return { batches: { S: lines.join('\n') } };
}

function decodeIntents(item: Item | undefined): Intent[] {
  const lines = item?.['batches']?.S?.split('\n').filter(Boolean) ?? [];
  return lines.map(line => {
    const [sequence = '', idTags = ''] = line.split(' ');
    return { sequence, idTags: slices(Buffer.from(idTags, 'base64'), ID_TAG_BYTES) };
  });
}

function slices(bytes: Uint8Array | undefined, size: number): string[] {
  const hex = Buffer.from(bytes ?? []).toString('hex');
  const parts: string[] = [];
  for (let at = 0; at < hex.length; at += size * 2) parts.push(hex.slice(at, at + size * 2));
  return parts;
}

function optional(name: string, value: string | undefined): Item {
  return value === undefined ? {} : { [name]: { S: value } };
}
