/** Breaks the rules of removals and withdrawals, and of the states kept for them. */
import type { Ports } from '../../../lambda/core/run.ts';
import type { ChildEntry, ListedRemoval, Removal } from '../../../lambda/ports.ts';
import { SEEN, withStates } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';
import { whileWithdrawing } from './withdrawal-mutants.ts';

const LEASE_VALID = async () => undefined;

/** Sends withdrawals where they do not belong. */
async function withdrawNow(ports: Ports, tombstones: readonly Removal[]): Promise<void> {
  for (const { id: parent, position } of tombstones) {
    const members = await ports.childIndex.of('threats', parent, 500, false);
    if (members.length === 0) continue;
    const lines = members.map(({ id, sequence }) => withdrawnText(id, parent, sequence, position));
    await ports.delivery.deliver(lines, LEASE_VALID);
    await ports.childIndex.delete('threats', members, LEASE_VALID);
  }
}

function withdrawnText(id: string, parent: string, after: string, position = 'null'): string {
  const envelope = { event_id: `${id}${position}`, sequence: `${after}1`, kind: 'withdrawn', stream: 'threats', id };
  return JSON.stringify({ ...envelope, asset_id: parent, stream_position: null });
}

function withAdd(ports: Ports, add: Ports['removals']['add']): Ports {
  return { ...ports, removals: { ...ports.removals, add } };
}

/** Reads the first page of threats while the assets are still being walked. */
function readingThreatsEarly(ports: Ports): Ports {
  let cursor: string | undefined;
  let early: Promise<Uint8Array> | undefined;
  const load: Ports['checkpoints']['load'] = async streams => {
    const loaded = await ports.checkpoints.load(streams);
    const threats = loaded.get('threats');
    if (threats && !(threats instanceof Error)) cursor = threats.checkpoint.cursor;
    return loaded;
  };
  const page: Ports['source']['page'] = request => {
    const held = early;
    if (request.path === '/v1/assets' && !held) {
      early = ports.source.page({ ...request, path: '/v1/threats', cursor });
      early.catch(() => undefined);
    }
    if (request.path !== '/v1/threats' || request.cursor !== cursor || !held) return ports.source.page(request);
    early = undefined;
    return held;
  };
  return { ...ports, source: { page }, checkpoints: { ...ports.checkpoints, load } };
}

export const REMOVAL_MUTANTS: readonly Mutant[] = [
  {
    rule: 'Assets, withdrawals and threats are walked one after the other',
    breakage: 'threats are read while assets are still walked',
    variant: () => ({ ports: readingThreatsEarly }),
  },
  {
    rule: 'Threats that disappear with their asset are withdrawn',
    breakage: 'only the tombstone is sent',
    variant: () => ({
      ports: ports => {
        const list: Ports['removals']['list'] = async () => [];
        return { ...ports, removals: { ...ports.removals, list } };
      },
    }),
  },
  {
    rule: "Withdrawals wait for the walk's end",
    breakage: 'they are sent at once',
    variant: () => ({
      ports: ports =>
        withAdd(ports, async (stream, tombstones, assertLeaseValid) => {
          await withdrawNow(ports, tombstones);
          await ports.removals.add(stream, tombstones, assertLeaseValid);
        }),
    }),
  },
  {
    rule: 'An asset restored meanwhile is struck off',
    breakage: 'its threats are withdrawn all the same',
    caughtAt: 37,
    variant: () => ({
      ports: whileWithdrawing((ports, withdrawal) =>
        withStates(
          ports,
          state => ({ ...state, removed: true }),
          stream => stream === 'assets' && withdrawal.running,
        ),
      ),
    }),
  },
  {
    rule: 'The list of removals is durable',
    breakage: 'it lives in memory',
    caughtAt: 7,
    variant: () => ({
      ports: ports => {
        const listed: ListedRemoval[] = [];
        const add = async (_: string, tombstones: readonly ListedRemoval[]) => void listed.push(...tombstones);
        const remove = async (_: string, ids: readonly string[]) =>
          void listed.splice(0, listed.length, ...listed.filter(each => !ids.includes(each.id)));
        return { ...ports, removals: { add, remove, list: async () => [...listed] } };
      },
    }),
  },
  {
    rule: 'A tombstone is listed before the states say "removed"',
    breakage: 'after them',
    caughtAt: 26,
    variant: () => ({
      ports: ports => {
        let late: (() => Promise<void>) | undefined;
        const put: Ports['rowStates']['put'] = async (stream, states, assertLeaseValid) => {
          await ports.rowStates.put(stream, states, assertLeaseValid);
          if (stream === 'assets') await late?.();
        };
        const add: Ports['removals']['add'] = async (...args) => {
          late = () => ports.removals.add(...args);
        };
        return withAdd({ ...ports, rowStates: { ...ports.rowStates, put } }, add);
      },
    }),
  },
  {
    rule: 'The withdrawal step runs for assets never seen, too',
    breakage: 'their tombstones are not listed',
    caughtAt: 26,
    variant: () => ({
      ports: ports =>
        withAdd(ports, async (stream, tombstones, assertLeaseValid) => {
          const states = await ports.rowStates.get(
            stream,
            tombstones.map(each => each.id),
          );
          const seen = tombstones.filter(each => states.has(each.id));
          if (seen.length > 0) await ports.removals.add(stream, seen, assertLeaseValid);
        }),
    }),
  },
  {
    rule: 'A tombstone of an asset never seen is not forwarded',
    breakage: 'it is',
    caughtAt: 35,
    variant: () => ({
      ports: ports => {
        const get: Ports['rowStates']['get'] = async (stream, ids) => {
          const states = await ports.rowStates.get(stream, ids);
          return new Map(ids.map(id => [id, states.get(id) ?? SEEN]));
        };
        return { ...ports, rowStates: { ...ports.rowStates, get } };
      },
    }),
  },
  {
    rule: 'An entry of the child index is written before its row is sent',
    breakage: 'with the states, after it',
    caughtAt: 17,
    variant: () => ({
      ports: ports => {
        let late: (() => Promise<void>)[] = [];
        const put: Ports['rowStates']['put'] = async (stream, states, assertLeaseValid) => {
          const writes = late;
          if (stream === 'threats') late = [];
          await ports.rowStates.put(stream, states, assertLeaseValid);
          if (stream === 'threats') for (const write of writes) await write();
        };
        const childIndex: Ports['childIndex'] = {
          ...ports.childIndex,
          put: async (...args) => void late.push(() => ports.childIndex.put(...args)),
        };
        return { ...ports, childIndex, rowStates: { ...ports.rowStates, put } };
      },
    }),
  },
  {
    rule: 'A threat that changes its asset is in the child index of the new one',
    breakage: 'only of the first',
    caughtAt: 9,
    variant: () => ({
      ports: ports => {
        const put = async (stream: 'threats', all: readonly ChildEntry[], assertLeaseValid: typeof LEASE_VALID) => {
          const states = await ports.rowStates.get(
            stream,
            all.map(each => each.id),
          );
          const fresh = all.filter(each => !states.has(each.id));
          if (fresh.length > 0) await ports.childIndex.put(stream, fresh, assertLeaseValid);
        };
        return { ...ports, childIndex: { ...ports.childIndex, put: put as Ports['childIndex']['put'] } };
      },
    }),
  },
  {
    rule: 'Withdrawn rows are forgotten by the window and marked in their states',
    breakage: 'their states stay as they were',
    caughtAt: 7,
    variant: () => ({
      ports: ports => {
        const put: Ports['rowStates']['put'] = async (stream, states, assertLeaseValid) => {
          const kept = new Map([...states].filter(([, state]) => stream !== 'threats' || !state.removed));
          if (kept.size > 0) await ports.rowStates.put(stream, kept, assertLeaseValid);
        };
        return { ...ports, rowStates: { ...ports.rowStates, put } };
      },
    }),
  },
];
