/**
 * Stores row states, the child index and the list of removals in the state table, with one item for
 * each entry.
 */
import type {
  ChildEntry,
  ChildIndex,
  Hash,
  ListedRemoval,
  RemovalStore,
  RowState,
  RowStateStore,
  RowStatus,
} from '../ports.ts';
import type { StreamName } from '../streams.ts';
import {
  checkedItem,
  childKey,
  childPartition,
  type Item,
  idInKey,
  type Key,
  removalKey,
  removalsPartition,
  rowKey,
  rowPrefix,
  versionedItem,
} from './item.ts';
import type { Table } from './table.ts';

export function createRowStateStore(table: Table, hash: Hash): RowStateStore {
  return {
    async get(stream, ids) {
      const idOf = new Map(ids.map(id => [rowKey(stream, id, hash).pk.S, id]));
      const items = await table.get(ids.map(id => rowKey(stream, id, hash)));
      return new Map(items.map(item => [idOf.get(item['pk']!.S!)!, decodeState(item)]));
    },
    put: (stream, states, assertLeaseValid) =>
      table.put(
        [...states].map(([id, state]) => encodeState(stream, rowKey(stream, id, hash), id, state)),
        assertLeaseValid,
      ),
    unlisted: (stream, generation, from) => {
      const condition = 'generation < :generation AND #status <> :removed';
      return scanStates(table, stream, { condition, values: { ':generation': { N: String(generation) } }, from });
    },
    removed: (stream, { least, end }, from) => {
      // A removed row without a hash was never sent, so it is left out.
      const condition = '#status = :removed AND row_hash > :none AND #sequence >= :least AND #sequence < :end';
      const values = { ':none': { S: '' }, ':least': { S: least }, ':end': { S: end } };
      return scanStates(table, stream, { condition, values, from });
    },
  };
}

interface StateScan {
  /**
   * Condition that may use the attribute names `#status` and `#sequence`, and the value `:removed`.
   */
  readonly condition: string;
  readonly values: Item;
  /** `next` of the page before. */
  readonly from: string | undefined;
}

async function scanStates(table: Table, stream: StreamName, { condition, values, from }: StateScan) {
  const prefix = rowPrefix(stream);
  const names = ['#status', '#sequence'].filter(name => condition.includes(name));
  const { items, next } = await table.scan({
    FilterExpression: `begins_with(pk, :prefix) AND ${condition}`,
    ExpressionAttributeNames: Object.fromEntries(names.map(name => [name, name.slice(1)])),
    ExpressionAttributeValues: {
      ':prefix': { S: prefix },
      ':removed': { S: 'removed' satisfies RowStatus },
      ...values,
    },
    ExclusiveStartKey: from === undefined ? undefined : JSON.parse(from),
  });
  const states = items.map(item => [storedId(item, prefix), decodeState(item)] as const);
  return { states: new Map(states), next: next && JSON.stringify(next) };
}

/** A hashed key does not contain its id, so the item contains the id. */
function storedId(item: Item, prefix: string): string {
  return idInKey(item['pk']!.S!.slice(prefix.length)) ?? JSON.parse(item['id']!.S!);
}

function encodeState(stream: StreamName, key: Key, id: string, state: RowState) {
  const { status, rowHash, generation, parent, sequence, forwardedAt } = state;
  const isHashed = key.pk.S !== `${rowPrefix(stream)}=${id}`;
  return versionedItem(key, {
    // A hashed key does not contain its id, so the item contains the id.
    ...(isHashed && { id: { S: JSON.stringify(id) } }),
    status: { S: status },
    row_hash: { S: rowHash },
    generation: { N: String(generation) },
    // The id is stored as JSON text, because it may contain characters that UTF-8 cannot encode.
    ...(parent === undefined ? {} : { parent: { S: JSON.stringify(parent) } }),
    sequence: { S: sequence },
    forwarded_at: { S: forwardedAt },
  });
}

/** @throws StateVersionError */
export function decodeState(item: Item): RowState {
  const { status, row_hash, generation, parent, sequence, forwarded_at } = checkedItem(item);
  return {
    status: status!.S as RowStatus,
    rowHash: row_hash!.S!,
    generation: Number(generation!.N),
    parent: parent && JSON.parse(parent.S!),
    sequence: sequence!.S!,
    forwardedAt: forwarded_at!.S!,
  };
}

/**
 * Stores which rows may have been sent under which parent. One query finds all rows that disappear
 * together with a parent, so the table does not need an index.
 */
export function createChildIndex(table: Table, hash: Hash): ChildIndex {
  const keyOf = (stream: StreamName, { parent, id }: ChildEntry) => childKey(stream, parent, id, hash);
  return {
    put: (stream, entries, assertLeaseValid) =>
      table.put(
        entries.map(entry => versionedItem(keyOf(stream, entry), { id: { S: JSON.stringify(entry.id) } })),
        assertLeaseValid,
      ),
    async of(stream, parent, limit, after) {
      const items = await table.query(childPartition(stream, parent, hash), limit, after && keyOf(stream, after));
      return items.map(item => ({ parent, id: JSON.parse(checkedItem(item)['id']!.S!) }));
    },
    delete: (stream, entries, assertLeaseValid) =>
      table.delete(
        entries.map(entry => keyOf(stream, entry)),
        assertLeaseValid,
      ),
  };
}

/**
 * Stores removals whose child rows are still to be withdrawn. They share one partition, so that one
 * query per run finds them all.
 */
export function createRemovalStore(table: Table, hash: Hash): RemovalStore {
  return {
    list: async parents => (await table.query(removalsPartition(parents))).map(decodeRemoval),
    add: (parents, removals, assertLeaseValid) =>
      table.put(
        removals.map(removal => versionedItem(removalKey(parents, removal, hash), encodeRemoval(removal))),
        assertLeaseValid,
      ),
    remove: (parents, listings, assertLeaseValid) =>
      table.delete(
        listings.map(listing => removalKey(parents, listing, hash)),
        assertLeaseValid,
      ),
  };
}

function encodeRemoval({ id, sequence, deletedAt, position, isRestored }: ListedRemoval): Item {
  return {
    id: { S: JSON.stringify(id) },
    sequence: { S: sequence },
    ...(deletedAt === undefined ? {} : { deleted_at: { S: deletedAt } }),
    ...(position === undefined ? {} : { position: { S: position } }),
    ...(isRestored && { restored: { BOOL: true } }),
  };
}

function decodeRemoval(item: Item): ListedRemoval {
  const { id, sequence, deleted_at, position, restored } = checkedItem(item);
  return {
    id: JSON.parse(id!.S!),
    sequence: sequence!.S!,
    deletedAt: deleted_at?.S,
    position: position?.S,
    isRestored: restored?.BOOL ?? false,
  };
}
