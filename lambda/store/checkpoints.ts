/** Checkpoints, intents and the organization in the state table, every write under the fence. */
import { BEGINNING } from '../core/decide.ts';
import { LeaseLostError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import type { Checkpoint, Checkpoints, Intent, RefreshProgress, SavedStream } from '../ports.ts';
import { checkpointKey, type Item, intentsKey, type Key, organizationKey, readable, versioned } from './item.ts';
import type { Table } from './table.ts';

const VERSION_TAG_BYTES = 12;
const ID_TAG_BYTES = 7;

export function createCheckpoints(table: Table): Checkpoints {
  const write = async (item: Item, epoch: number) => {
    if (!(await table.putFenced(item, epoch))) throw new LeaseLostError('a later run has raised the fence');
  };
  return {
    async load(streams) {
      const keys = streams.flatMap(stream => [checkpointKey(stream), intentsKey(stream)]);
      const items = await table.get([...keys, organizationKey]);
      const find = ({ pk, sk }: Key) => items.find(each => each['pk']?.S === pk.S && each['sk']?.S === sk.S);
      const saved = streams.map(stream => {
        return [stream, readSaved(find(checkpointKey(stream)), find(intentsKey(stream)))] as const;
      });
      const organization = find(organizationKey);
      return { streams: new Map(saved), organization: organization && readable(organization)['digest']?.S };
    },
    save: (stream, checkpoint, epoch) => write(versioned(checkpointKey(stream), encode(checkpoint)), epoch),
    saveIntents: (stream, intents, epoch) => write(versioned(intentsKey(stream), encodeIntents(intents)), epoch),
    saveOrganization: (digest, epoch) => write(versioned(organizationKey, { digest: { S: digest } }), epoch),
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

/** @returns what is saved, or the StateVersionError with which the stream must fail */
function readSaved(checkpoint: Item | undefined, intents: Item | undefined): SavedStream | Error {
  try {
    return { checkpoint: decode(checkpoint), intents: decodeIntents(intents) };
  } catch (error) {
    return error as Error;
  }
}

function isBare(item: Item): boolean {
  return Object.keys(item).every(name => name === 'pk' || name === 'sk' || name === 'epoch');
}

function encode(checkpoint: Checkpoint): Item {
  const { cursor, previous, window, generation, names, committed, selection, selections, refresh } = checkpoint;
  return {
    ...optional('cursor', cursor),
    ...optional('previous', previous),
    ...optional('rows_member', names.rows),
    ...optional('pagination_member', names.pagination),
    window: { B: Buffer.from(window.join(''), 'hex') },
    generation: { N: String(generation) },
    committed: { S: committed },
    ...(selection === '' ? {} : { selection: { S: selection } }),
    ...(selections === 0 ? {} : { selections: { N: String(selections) } }),
    ...(refresh === undefined ? {} : { refresh: { M: encodeRefresh(refresh) } }),
  };
}

function decode(item: Item | undefined): Checkpoint {
  if (!item || isBare(item)) return BEGINNING;
  const { cursor, previous, rows_member, pagination_member, ...rest } = readable(item);
  const { window, generation, committed, selection, selections, refresh } = rest;
  return {
    cursor: cursor?.S,
    previous: previous?.S,
    window: slices(window!.B, VERSION_TAG_BYTES),
    generation: Number(generation!.N),
    names: { rows: rows_member?.S, pagination: pagination_member?.S },
    committed: committed!.S!,
    selection: selection?.S ?? '',
    selections: Number(selections?.N ?? 0),
    refresh: refresh && decodeRefresh(refresh.M!),
  };
}

function encodeRefresh({ cursor, started, rows, lastRows, pages, mark }: RefreshProgress): Item {
  return {
    ...optional('cursor', cursor),
    started: { N: String(started) },
    rows: { N: String(rows) },
    ...(lastRows === undefined ? {} : { last_rows: { N: String(lastRows) } }),
    ...(pages === undefined ? {} : { pages: { N: String(pages) } }),
    ...optional('mark', mark),
  };
}

function decodeRefresh({ cursor, started, rows, last_rows, pages, mark }: Item): RefreshProgress {
  return {
    cursor: cursor?.S,
    started: Number(started!.N),
    rows: Number(rows!.N),
    lastRows: last_rows && Number(last_rows.N),
    pages: pages && Number(pages.N),
    mark: mark?.S,
  };
}

/** One line per intent: `<first> <sequence> <id tags in base64> <gone tags in base64>`. */
function encodeIntents(intents: readonly Intent[]): Item {
  const base64 = (tags: readonly string[]) => Buffer.from(tags.join(''), 'hex').toString('base64');
  const lines = intents.map(
    ({ first, sequence, idTags, goneTags }) => `${first} ${sequence} ${base64(idTags)} ${base64(goneTags)}`,
  );
  return { batches: { S: lines.join('\n') } };
}

function decodeIntents(item: Item | undefined): Intent[] {
  if (!item || isBare(item)) return [];
  const lines = readable(item)['batches']!.S!.split('\n').filter(Boolean);
  const tags = (base64: string) => slices(Buffer.from(base64, 'base64'), ID_TAG_BYTES);
  return lines.map(line => {
    const [first = '', sequence = '', idTags = '', goneTags = ''] = line.split(' ');
    return { first, sequence, idTags: tags(idTags), goneTags: tags(goneTags) };
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
