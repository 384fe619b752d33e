/** Row states, the child index and the list of removals in the state table: one item for each. */
import type {
  ChildEntry,
  ChildIndex,
  Hash,
  ListedRemoval,
  Removals,
  RowState,
  RowStates,
  RowStatus,
} from '../ports.ts';
import type { StreamName } from '../streams.ts';
import {
  childKey,
  childPartition,
  type Item,
  idOf,
  type Key,
  readable,
  removalKey,
  removalsPartition,
  rowKey,
  rowPrefix,
  type TextItem,
  versioned,
} from './item.ts';
import type { Table } from './table.ts';

/** A sample looks at so many items at most. */
const SAMPLE_PAGES = 10;
const SAMPLE_PAGE = 100;

export function createRowStates(table: Table, hash: Hash): RowStates {
  return {
    async get(stream, ids) {
      const idOf = new Map(ids.map(id => [rowKey(stream, id, hash).pk.S, id]));
      const items = await table.get(ids.map(id => rowKey(stream, id, hash)));
      return new Map(items.map(item => [idOf.get(item['pk']!.S!)!, decodeState(item)]));
    },
    put: (stream, states, assertLeaseValid) =>
      table.put(
        [...states].map(([id, state]) => encodeState(rowKey(stream, id, hash), state)),
        assertLeaseValid,
      ),
    async sample(stream, count) {
      const ids: string[] = [];
      let from: Item | undefined;
      for (let page = 0; page < SAMPLE_PAGES; page++) {
        const { items, next } = await table.scan(SAMPLE_PAGE, from);
        ids.push(...items.flatMap(item => sentId(item, rowPrefix(stream)) ?? []));
        if (ids.length >= count || !next) break;
        from = next;
      }
      return ids.slice(0, count);
    },
  };
}

/** The id of a row state that says that the row exists and was sent. A hashed key does not say which id it stands for. */
function sentId(item: Item, prefix: string): string | undefined {
  const partition = item['pk']!.S!;
  if (!partition.startsWith(prefix)) return undefined;
  const { status, rowHash } = decodeState(item);
  return status === 'live' && rowHash !== '' ? idOf(partition.slice(prefix.length)) : undefined;
}

function encodeState(key: Key, { status, rowHash, generation, parent, sequence, forwardedAt, revision }: RowState) {
  return versioned(key, {
    status: { S: status },
    row_hash: { S: rowHash },
    generation: { N: String(generation) },
    // As JSON text: an id may hold what UTF-8 cannot.
    ...(parent === undefined ? {} : { parent: { S: JSON.stringify(parent) } }),
    sequence: { S: sequence },
    forwarded_at: { S: forwardedAt },
    ...(revision === 0 ? {} : { revision: { N: String(revision) } }),
  });
}

/** @throws StateVersionError */
export function decodeState(item: Item): RowState {
  const { status, row_hash, generation, parent, sequence, forwarded_at, revision } = readable(item);
  return {
    status: status!.S as RowStatus,
    rowHash: row_hash!.S!,
    generation: Number(generation!.N),
    parent: parent && JSON.parse(parent.S!),
    sequence: sequence!.S!,
    forwardedAt: forwarded_at!.S!,
    revision: Number(revision?.N ?? 0),
  };
}

/** Which rows may have been sent under which parent. One query finds what disappears with it, so the table needs no index. */
export function createChildIndex(table: Table, hash: Hash): ChildIndex {
  const keyOf = (stream: StreamName, { parent, id }: ChildEntry) => childKey(stream, parent, id, hash);
  return {
    put: (stream, entries, assertLeaseValid) =>
      table.put(
        entries.map(entry =>
          versioned(keyOf(stream, entry), { id: { S: JSON.stringify(entry.id) }, sequence: { S: entry.sequence } }),
        ),
        assertLeaseValid,
      ),
    async of(stream, parent, limit, after) {
      const items = await table.query(childPartition(stream, parent, hash), limit, after && keyOf(stream, after));
      return items.map(item => {
        const { id, sequence } = readable(item);
        return { parent, id: JSON.parse(id!.S!), sequence: sequence!.S! };
      });
    },
    delete: (stream, entries, assertLeaseValid) =>
      table.delete(
        entries.map(entry => keyOf(stream, entry)),
        assertLeaseValid,
      ),
  };
}

/** Removals whose child rows are still to be withdrawn, in one partition, so that one query per run finds them all. */
export function createRemovals(table: Table, hash: Hash): Removals {
  return {
    list: async parents => (await table.query(removalsPartition(parents))).map(decodeRemoval),
    add: (parents, removals, assertLeaseValid) =>
      table.put(
        removals.map(each => versioned(removalKey(parents, each.id, hash), encodeRemoval(each))),
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
    ...(deletedAt === undefined ? {} : { deleted_at: { S: deletedAt } }),
    ...(position === undefined ? {} : { position: { S: position } }),
    sequence: { S: sequence },
  };
}

function decodeRemoval(item: Item): ListedRemoval {
  const { id, deleted_at, position, sequence } = readable(item);
  return { id: JSON.parse(id!.S!), deletedAt: deleted_at?.S, position: position?.S, sequence: sequence!.S! };
}
