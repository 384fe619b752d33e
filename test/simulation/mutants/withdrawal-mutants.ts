/** The order of a withdrawal's writes, and what it does with many removals at once: each rule broken. */
import type { Ports } from '../../../lambda/core/run.ts';
import type { ChildEntry, StoredState } from '../../../lambda/ports.ts';
import { sha256 } from '../../../lambda/system.ts';
import { withStates } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';

/** Whether the run is working off removals: from a list that is not empty until its first entries are struck off. */
interface Withdrawal {
  running: boolean;
}

export function whileWithdrawing(change: (ports: Ports, withdrawal: Withdrawal) => Ports): (ports: Ports) => Ports {
  return ports => {
    const withdrawal = { running: false };
    const list: Ports['removals']['list'] = async (...args) => {
      const listed = await ports.removals.list(...args);
      withdrawal.running = listed.length > 0;
      return listed;
    };
    const page: Ports['source']['page'] = request => {
      if (request.path.endsWith('/threats')) withdrawal.running = false;
      return ports.source.page(request);
    };
    return change({ ...ports, source: { page }, removals: { ...ports.removals, list } }, withdrawal);
  };
}

const isOfThreats = (lines: readonly string[]) => lines[0]?.includes('"threats"') === true;

type Write = () => Promise<unknown>;

/** Writes that wait for a later one. */
function queue() {
  const waiting: Write[] = [];
  return {
    add: async (write: Write) => void waiting.push(write),
    flush: async () => {
      for (const write of waiting.splice(0)) await write();
    },
  };
}

export const WITHDRAWAL_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A withdrawal writes the row states before it sends the events',
    breakage: 'after them',
    caughtAt: 532,
    variant: () => ({
      ports: whileWithdrawing((ports, withdrawal) => {
        const late = queue();
        const put: Ports['rowStates']['put'] = (...args) =>
          withdrawal.running && args[0] === 'threats'
            ? late.add(() => ports.rowStates.put(...args))
            : ports.rowStates.put(...args);
        const deliver: Ports['delivery']['deliver'] = async (lines, assertLeaseValid) => {
          const throttled = await ports.delivery.deliver(lines, assertLeaseValid);
          if (isOfThreats(lines)) await late.flush();
          return throttled;
        };
        return { ...ports, rowStates: { ...ports.rowStates, put }, delivery: { deliver } };
      }),
    }),
  },
  {
    rule: 'A withdrawal deletes entries of the child index after their events are acknowledged',
    breakage: 'before they are sent',
    caughtAt: 32,
    variant: () => ({
      ports: whileWithdrawing((ports, withdrawal) => {
        const late = queue();
        const deliver: Ports['delivery']['deliver'] = async (lines, assertLeaseValid) => {
          if (!withdrawal.running || !isOfThreats(lines)) return ports.delivery.deliver(lines, assertLeaseValid);
          await late.add(() => ports.delivery.deliver(lines, assertLeaseValid));
          return 0;
        };
        const remove: Ports['childIndex']['delete'] = async (...args) => {
          await ports.childIndex.delete(...args);
          await late.flush();
        };
        return { ...ports, delivery: { deliver }, childIndex: { ...ports.childIndex, delete: remove } };
      }),
    }),
  },
  {
    rule: 'A withdrawal strikes a removal off after it deleted the entries of the child index',
    breakage: 'before',
    caughtAt: 262,
    variant: () => ({
      ports: ports => {
        const late = queue();
        const childIndex: Ports['childIndex'] = {
          ...ports.childIndex,
          of: async (...args) => {
            await late.flush();
            return ports.childIndex.of(...args);
          },
          delete: (...args) => late.add(() => ports.childIndex.delete(...args)),
        };
        const remove: Ports['removals']['remove'] = async (...args) => {
          await ports.removals.remove(...args);
          await late.flush();
        };
        return { ...ports, childIndex, removals: { ...ports.removals, remove } };
      },
    }),
  },
  {
    rule: 'A withdrawal strikes a removal off last',
    breakage: 'as soon as the list is read',
    caughtAt: 7,
    variant: () => ({
      ports: ports => {
        const list: Ports['removals']['list'] = async (parents, repairing) => {
          const listed = await ports.removals.list(parents, repairing);
          const ids = listed.map(({ id }) => id);
          if (ids.length > 0) await ports.removals.remove(parents, ids, async () => undefined);
          return listed;
        };
        return { ...ports, removals: { ...ports.removals, list } };
      },
    }),
  },
  {
    rule: 'Of several listed assets only those that are still removed lose their threats',
    breakage: 'a restored one loses them with the others',
    caughtAt: 37,
    variant: () => ({
      ports: whileWithdrawing((ports, withdrawal) => {
        const isRemoved = (state: StoredState) => !(state instanceof Error) && state.removed;
        return withStates(
          ports,
          state => ({ ...state, removed: true }),
          (stream, states) => stream === 'assets' && withdrawal.running && states.some(isRemoved),
        );
      }),
    }),
  },
  {
    rule: 'A removed asset is worked off to its last threat',
    breakage: 'its second piece is forgotten',
    caughtAt: 7,
    variant: () => ({
      ports: whileWithdrawing(ports => {
        const asked = new Set<string>();
        const of: Ports['childIndex']['of'] = async (stream, parent, ...rest) => {
          if (asked.has(parent)) return [];
          asked.add(parent);
          return ports.childIndex.of(stream, parent, ...rest);
        };
        return { ...ports, childIndex: { ...ports.childIndex, of } };
      }),
    }),
  },
  {
    rule: 'A threat that moved between two removed assets is withdrawn once',
    breakage: 'with each of them',
    caughtAt: 22,
    variant: () => ({ ports: whileWithdrawing(withdrawingWithEach) }),
  },
];

/** As if each removed asset were worked off by itself, with the states as they were before. */
function withdrawingWithEach(ports: Ports, withdrawal: Withdrawal): Ports {
  const found: ChildEntry[] = [];
  const of: Ports['childIndex']['of'] = async (...args) => {
    const entries = await ports.childIndex.of(...args);
    found.push(...entries);
    return entries;
  };
  const deliver: Ports['delivery']['deliver'] = (lines, assertLeaseValid) => {
    if (!withdrawal.running || !isOfThreats(lines)) return ports.delivery.deliver(lines, assertLeaseValid);
    const again = lines.flatMap(line => {
      const { id, asset_id: parent } = JSON.parse(line);
      const others = found.filter(entry => entry.id === id && entry.parent !== parent);
      return others.map(other => withParent(line, other.parent));
    });
    return ports.delivery.deliver([...lines, ...again], assertLeaseValid);
  };
  return { ...ports, childIndex: { ...ports.childIndex, of }, delivery: { deliver } };
}

function withParent(line: string, parent: string): string {
  const event = { ...JSON.parse(line), asset_id: parent, event_id: sha256(line).slice(0, 32) };
  return JSON.stringify({ ...event, sequence: event.sequence?.replace(/^(\d{10})0/, '$15') });
}
