/** Row states: what was last forwarded of each id, one item per id. Names of attributes are kept for the items of earlier versions. */
import { StateDamagedError } from '../core/errors.ts';
import type {
  ChildEntry,
  ChildIndex,
  Hash,
  ListedRemoval,
  Removals,
  RowState,
  RowStates,
  StoredState,
} from '../ports.ts';
import { childOf, type StreamName } from '../streams.ts';
import {
  childKey,
  childPartition,
  type Item,
  idOf,
  integrityError,
  removalKey,
  removalsPartition,
  rowKey,
  type TextItem,
  withChecksum,
} from './item.ts';
import type { Table } from './table.ts';

export function createRowStates(table: Table, hash: Hash): RowStates {
  return {
    async get(stream, ids) {
      const idOf = new Map(ids.map(id => [rowKey(stream, id, hash).pk.S, id]));
      const items = await table.get(ids.map(id => rowKey(stream, id, hash)));
      return new Map(items.map(item => [idOf.get(item['pk']!.S!)!, decodeState(item, stream, hash)]));
    },
    put: (stream, states, assertLeaseValid) =>
      table.put(
        [...states].map(([id, state]) => withChecksum(rowKey(stream, id, hash), encodeState(state), hash)),
        assertLeaseValid,
      ),
  };
}

function encodeState(state: RowState): TextItem {
  const { rowHash, exists, forwardedAt, generation, removed, parent, sequence, revision } = state;
  return {
    digest: { S: rowHash },
    ...(exists === undefined ? {} : { exists: { S: exists } }),
    ...(forwardedAt === '' ? {} : { forwarded: { S: forwardedAt } }),
    generation: { N: String(generation) },
    ...(revision === '' ? {} : { incarnation: { S: revision } }),
    // As JSON text: an id may hold what UTF-8 cannot.
    ...(parent === undefined ? {} : { owner: { S: JSON.stringify(parent) } }),
    removed: { BOOL: removed },
    sequence: { S: sequence },
  };
}

/** @returns the state, or the error that says why it must not be read */
export function decodeState(item: Item, stream: StreamName, hash: Hash): StoredState {
  const why = integrityError(item, hash);
  if (why) return new StateDamagedError('A row state', stream, why);
  const parent = item['owner']?.S;
  return {
    rowHash: item['digest']?.S ?? '',
    generation: Number(item['generation']?.N),
    removed: item['removed']?.BOOL ?? false,
    parent: parent === undefined ? undefined : JSON.parse(parent),
    sequence: item['sequence']?.S ?? '',
    forwardedAt: item['forwarded']?.S ?? '',
    revision: item['incarnation']?.S ?? '',
    ...(item['exists']?.S === undefined ? {} : { exists: item['exists'].S }),
  };
}

/** The child index: which rows may have been sent under which parent. One query finds what disappears with it, so the table needs no index. */

export function createChildIndex(table: Table, hash: Hash): ChildIndex {
  return {
    put: (stream, entries, assertLeaseValid) =>
      table.put(
        entries.map(({ parent, id, sequence }) => {
          const members = { id: { S: JSON.stringify(id) }, sequence: { S: sequence } };
          return withChecksum(childKey(stream, parent, id, hash), members, hash);
        }),
        assertLeaseValid,
      ),
    async of(stream, parent, limit, repairing) {
      const items = await table.query(childPartition(stream, parent, hash), limit);
      return items.map(item => decodeEntry(item, stream, parent, hash, repairing));
    },
    delete: (stream, entries, assertLeaseValid) =>
      table.delete(
        entries.map(({ parent, id }) => childKey(stream, parent, id, hash)),
        assertLeaseValid,
      ),
  };
}

function decodeEntry(item: Item, stream: StreamName, parent: string, hash: Hash, repairing: boolean): ChildEntry {
  const why = integrityError(item, hash);
  const id = why && repairing ? idOf(item['sk']?.S) : undefined;
  if (id !== undefined) return { parent, id, sequence: '' };
  if (why) throw new StateDamagedError('An entry of the child index', stream, why);
  return { parent, id: JSON.parse(item['id']!.S!), sequence: item['sequence']!.S! };
}

/** Removals whose child rows are still to be withdrawn, in one partition, so that one query per run finds them all. */
export function createRemovals(table: Table, hash: Hash): Removals {
  return {
    async list(parents, repairing) {
      return (await table.query(removalsPartition(parents))).map(item => decodeRemoval(item, parents, hash, repairing));
    },
    add: (parents, removals, assertLeaseValid) =>
      table.put(
        removals.map(each => withChecksum(removalKey(parents, each.id, hash), encodeRemoval(each), hash)),
        assertLeaseValid,
      ),
    remove: (parents, ids, assertLeaseValid) =>
      table.delete(
        ids.map(id => removalKey(parents, id, hash)),
        assertLeaseValid,
      ),
  };
}

function encodeRemoval({ id, deletedAt, position, sequence }: ListedRemoval): TextItem {
  return {
    id: { S: JSON.stringify(id) },
    ...(deletedAt === undefined ? {} : { deleted_at: { S: JSON.stringify(deletedAt) } }),
    ...(position === undefined ? {} : { position: { S: position } }),
    sequence: { S: sequence },
  };
}

function decodeRemoval(item: Item, parents: StreamName, hash: Hash, repairing: boolean): ListedRemoval {
  const why = integrityError(item, hash);
  const id = why && repairing ? idOf(item['sk']?.S) : undefined;
  if (id !== undefined) return { id, deletedAt: undefined, position: undefined, sequence: '' };
  // A resync must repair the stream from which rows are withdrawn.
  if (why) throw new StateDamagedError('A listed removal', childOf(parents)?.name ?? parents, why);
  const deletedAt = item['deleted_at']?.S;
  return {
    id: JSON.parse(item['id']!.S!),
    deletedAt: deletedAt === undefined ? undefined : JSON.parse(deletedAt),
    position: item['position']?.S,
    // Absent on an item of an earlier version: then any live state restores the row, as it did there.
    sequence: item['sequence']?.S ?? '',
  };
}
