/** Which rows may have been sent under which owner: one query finds what vanishes with it, and no index is needed. */
import { StateDamagedError } from '../core/errors.ts';
import type { Hash, Membership, Memberships } from '../ports.ts';
import type { StreamName } from '../streams.ts';
import { idOf, memberKey, membersPartition } from './keys.ts';
import { type Item, seal, unsound } from './sealed-item.ts';
import type { Table } from './table.ts';

export function createMemberships(table: Table, hash: Hash): Memberships {
  return {
    put: (stream, memberships, guard) =>
      table.put(
        memberships.map(({ owner, id, sequence }) => {
          const members = { id: { S: JSON.stringify(id) }, sequence: { S: sequence } };
          return seal(memberKey(stream, owner, id, hash), members, hash);
        }),
        guard,
      ),
    async of(stream, owner, limit, mending) {
      const items = await table.query(membersPartition(stream, owner, hash), limit);
      return items.map(item => decode(item, stream, owner, hash, mending));
    },
    delete: (stream, memberships, guard) =>
      table.delete(
        memberships.map(({ owner, id }) => memberKey(stream, owner, id, hash)),
        guard,
      ),
  };
}

function decode(item: Item, stream: StreamName, owner: string, hash: Hash, mending: boolean): Membership {
  const why = unsound(item, hash);
  const id = why && mending ? idOf(item['sk']?.S) : undefined;
  if (id !== undefined) return { owner, id, sequence: '' };
  if (why) throw new StateDamagedError('A membership', stream, why);
  return { owner, id: JSON.parse(item['id']!.S!), sequence: item['sequence']!.S! };
}
