/** Removals whose consequences are still to be told, in one partition, so that one query a run finds them all. */
import { StateDamagedError } from '../core/errors.ts';
import type { Hash, Tombstone, WithdrawalList } from '../ports.ts';
import type { StreamName } from '../streams.ts';
import { withdrawalKey, withdrawalsPartition } from './keys.ts';
import { type Item, seal, unsound } from './sealed-item.ts';
import type { Table } from './table.ts';

export function createWithdrawalList(table: Table, hash: Hash): WithdrawalList {
  return {
    async pending(stream) {
      return (await table.query(withdrawalsPartition(stream))).map(item => decode(item, stream, hash));
    },
    add: (stream, tombstones, guard) =>
      table.put(
        tombstones.map(each => seal(withdrawalKey(stream, each.id, hash), encode(each), hash)),
        guard,
      ),
    remove: (stream, id, guard) => table.delete([withdrawalKey(stream, id, hash)], guard),
  };
}

function encode({ id, deletedAt, position }: Tombstone): Item {
  return {
    id: { S: JSON.stringify(id) },
    ...(deletedAt === undefined ? {} : { deleted_at: { S: JSON.stringify(deletedAt) } }),
    ...(position === undefined ? {} : { position: { S: position } }),
  };
}

function decode(item: Item, stream: StreamName, hash: Hash): Tombstone {
  const why = unsound(item, hash);
  if (why) throw new StateDamagedError('A listed withdrawal', stream, why);
  const deletedAt = item['deleted_at']?.S;
  return {
    id: JSON.parse(item['id']!.S!),
    deletedAt: deletedAt === undefined ? undefined : JSON.parse(deletedAt),
    position: item['position']?.S,
  };
}
