/** What was last forwarded of each id, an item an id. */
import { StateDamagedError } from '../core/errors.ts';
import type { Hash, RowState, RowStates, StoredState } from '../ports.ts';
import type { StreamName } from '../streams.ts';
import { type Item, integrityError, withChecksum } from './item.ts';
import { rowKey } from './keys.ts';
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
        [...states].map(([id, state]) => withChecksum(rowKey(stream, id, hash), encode(state), hash)),
        assertLeaseValid,
      ),
  };
}

function encode({ rowHash, forwardedAt, generation, removed, parent, sequence, revision }: RowState): Item {
  return {
    rowHash: { S: rowHash },
    ...(forwardedAt === '' ? {} : { forwarded: { S: forwardedAt } }),
    generation: { N: String(generation) },
    ...(revision === '' ? {} : { revision: { S: revision } }),
    // As JSON text: an id may hold what UTF-8 cannot.
    ...(parent === undefined ? {} : { parent: { S: JSON.stringify(parent) } }),
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
  };
}
