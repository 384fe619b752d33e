/** Which rows may have been sent under which owner: one query finds what vanishes with it, and no index is needed. */
import { StateDamagedError } from '../core/errors.ts';
import type { ChildEntry, ChildIndex, Hash } from '../ports.ts';
import type { StreamName } from '../streams.ts';
import { type Item, integrityError, withChecksum } from './item.ts';
import { childKey, childPartition, idOf } from './keys.ts';
import type { Table } from './table.ts';

export function createChildIndex(table: Table, hash: Hash): ChildIndex {
  return {
    put: (stream, childIndex, assertLeaseValid) =>
      table.put(
        childIndex.map(({ parent, id, sequence }) => {
          const members = { id: { S: JSON.stringify(id) }, sequence: { S: sequence } };
          return withChecksum(childKey(stream, parent, id, hash), members, hash);
        }),
        assertLeaseValid,
      ),
    async of(stream, parent, limit, repairing) {
      const items = await table.query(childPartition(stream, parent, hash), limit);
      return items.map(item => decode(item, stream, parent, hash, repairing));
    },
    delete: (stream, childIndex, assertLeaseValid) =>
      table.delete(
        childIndex.map(({ parent, id }) => childKey(stream, parent, id, hash)),
        assertLeaseValid,
      ),
  };
}

function decode(item: Item, stream: StreamName, parent: string, hash: Hash, repairing: boolean): ChildEntry {
  const why = integrityError(item, hash);
  const id = why && repairing ? idOf(item['sk']?.S) : undefined;
  if (id !== undefined) return { parent, id, sequence: '' };
  if (why) throw new StateDamagedError('A membership', stream, why);
  return { parent, id: JSON.parse(item['id']!.S!), sequence: item['sequence']!.S! };
}
