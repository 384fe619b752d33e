/** What was last forwarded of each id, an item an id. */
import { StateDamagedError } from '../core/errors.ts';
import type { Hash, RowState, RowStates, StoredState } from '../ports.ts';
import type { StreamName } from '../streams.ts';
import { rowKey } from './keys.ts';
import { type Item, seal, unsound } from './sealed-item.ts';
import type { Table } from './table.ts';

export function createRowStates(table: Table, hash: Hash): RowStates {
  return {
    async get(stream, ids) {
      const idOf = new Map(ids.map(id => [rowKey(stream, id, hash).pk.S, id]));
      const items = await table.get(ids.map(id => rowKey(stream, id, hash)));
      return new Map(items.map(item => [idOf.get(item['pk']!.S!)!, decodeState(item, stream, hash)]));
    },
    put: (stream, states, guard) =>
      table.put(
        [...states].map(([id, state]) => seal(rowKey(stream, id, hash), encode(state), hash)),
        guard,
      ),
  };
}

function encode({ digest, forwardedAt, generation, removed, owner, sequence, incarnation }: RowState): Item {
  return {
    digest: { S: digest },
    ...(forwardedAt === '' ? {} : { forwarded: { S: forwardedAt } }),
    generation: { N: String(generation) },
    ...(incarnation === '' ? {} : { incarnation: { S: incarnation } }),
    // As JSON text: an id may hold what UTF-8 cannot.
    ...(owner === undefined ? {} : { owner: { S: JSON.stringify(owner) } }),
    removed: { BOOL: removed },
    sequence: { S: sequence },
  };
}

/** @returns the state, or the error that says why it must not be read */
export function decodeState(item: Item, stream: StreamName, hash: Hash): StoredState {
  const why = unsound(item, hash);
  if (why) return new StateDamagedError('A row state', stream, why);
  const owner = item['owner']?.S;
  return {
    digest: item['digest']?.S ?? '',
    generation: Number(item['generation']?.N),
    removed: item['removed']?.BOOL ?? false,
    owner: owner === undefined ? undefined : JSON.parse(owner),
    sequence: item['sequence']?.S ?? '',
    forwardedAt: item['forwarded']?.S ?? '',
    incarnation: item['incarnation']?.S ?? '',
  };
}
