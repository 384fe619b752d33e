/** Removals whose consequences are still to be told, in one partition, so that one query a run finds them all. */
import { StateDamagedError } from '../core/errors.ts';
import type { Hash, ListedRemoval, WithdrawalList } from '../ports.ts';
import { STREAMS, type StreamName } from '../streams.ts';
import { idOf, withdrawalKey, withdrawalsPartition } from './keys.ts';
import { type Item, seal, unsound } from './sealed-item.ts';
import type { Table } from './table.ts';

export function createWithdrawalList(table: Table, hash: Hash): WithdrawalList {
  return {
    async pending(stream, mending) {
      return (await table.query(withdrawalsPartition(stream))).map(item => decode(item, stream, hash, mending));
    },
    add: (stream, tombstones, guard) =>
      table.put(
        tombstones.map(each => seal(withdrawalKey(stream, each.id, hash), encode(each), hash)),
        guard,
      ),
    remove: (stream, id, guard) => table.delete([withdrawalKey(stream, id, hash)], guard),
  };
}

function encode({ id, deletedAt, position, sequence }: ListedRemoval): Item {
  return {
    id: { S: JSON.stringify(id) },
    ...(deletedAt === undefined ? {} : { deleted_at: { S: JSON.stringify(deletedAt) } }),
    ...(position === undefined ? {} : { position: { S: position } }),
    sequence: { S: sequence },
  };
}

function decode(item: Item, stream: StreamName, hash: Hash, mending: boolean): ListedRemoval {
  const why = unsound(item, hash);
  const id = why && mending ? idOf(item['sk']?.S) : undefined;
  if (id !== undefined) return { id, deletedAt: undefined, position: undefined, sequence: '' };
  if (why) throw new StateDamagedError('A listed withdrawal', withdrawnFrom(stream), why);
  const deletedAt = item['deleted_at']?.S;
  return {
    id: JSON.parse(item['id']!.S!),
    deletedAt: deletedAt === undefined ? undefined : JSON.parse(deletedAt),
    position: item['position']?.S,
    // Absent on an item of an earlier version: then any live state restores the row, as it did there.
    sequence: item['sequence']?.S ?? '',
  };
}

/** The stream that a resync must mend: the one from which rows are withdrawn. */
function withdrawnFrom(owners: StreamName): StreamName {
  return STREAMS.find(each => 'vanishesWith' in each && each.vanishesWith === owners)?.name ?? owners;
}
