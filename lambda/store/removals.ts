/** Removals whose consequences are still to be told, in one partition, so that one query a run finds them all. */
import { StateDamagedError } from '../core/errors.ts';
import type { Hash, ListedRemoval, Removals } from '../ports.ts';
import { STREAMS, type StreamName } from '../streams.ts';
import { type Item, integrityError, withChecksum } from './item.ts';
import { idOf, removalKey, removalsPartition } from './keys.ts';
import type { Table } from './table.ts';

export function createRemovals(table: Table, hash: Hash): Removals {
  return {
    async pending(stream, repairing) {
      return (await table.query(removalsPartition(stream))).map(item => decode(item, stream, hash, repairing));
    },
    add: (stream, tombstones, assertLeaseValid) =>
      table.put(
        tombstones.map(each => withChecksum(removalKey(stream, each.id, hash), encode(each), hash)),
        assertLeaseValid,
      ),
    remove: (stream, id, assertLeaseValid) => table.delete([removalKey(stream, id, hash)], assertLeaseValid),
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

function decode(item: Item, stream: StreamName, hash: Hash, repairing: boolean): ListedRemoval {
  const why = integrityError(item, hash);
  const id = why && repairing ? idOf(item['sk']?.S) : undefined;
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
function withdrawnFrom(parents: StreamName): StreamName {
  return STREAMS.find(each => 'vanishesWith' in each && each.cascadesFrom === parents)?.name ?? parents;
}
