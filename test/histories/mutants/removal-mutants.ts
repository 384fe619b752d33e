/** Removals, withdrawals and what is remembered for them: each broken. */
import type { World } from '../../../lambda/core/run.ts';
import type { ListedRemoval, Membership, Tombstone } from '../../../lambda/ports.ts';
import type { Mutant } from './mutant.ts';
import { SEEN } from './stand-ins.ts';

const NO_GUARD = async () => undefined;

/** Sends withdrawals where they do not belong. */
async function withdrawNow(world: World, tombstones: readonly Tombstone[]): Promise<void> {
  for (const { id: owner, position } of tombstones) {
    const members = await world.memberships.of('threats', owner, 500, false);
    if (members.length === 0) continue;
    const lines = members.map(({ id, sequence }) => withdrawnText(id, owner, sequence, position));
    await world.delivery.deliver(lines, NO_GUARD);
    await world.memberships.delete('threats', members, NO_GUARD);
  }
}

function withdrawnText(id: string, owner: string, after: string, position = 'null'): string {
  const envelope = { event_id: `${id}${position}`, sequence: `${after}1`, kind: 'withdrawn', stream: 'threats', id };
  return JSON.stringify({ ...envelope, asset_id: owner, stream_position: null });
}

function withAdd(world: World, add: World['withdrawals']['add']): World {
  return { ...world, withdrawals: { ...world.withdrawals, add } };
}

/** Reads the first page of threats while the assets are still being walked. */
function readingThreatsEarly(world: World): World {
  let cursor: string | undefined;
  let early: Promise<Uint8Array> | undefined;
  const load: World['checkpoints']['load'] = async streams => {
    const loaded = await world.checkpoints.load(streams);
    const threats = loaded.get('threats');
    if (threats && !(threats instanceof Error)) cursor = threats.checkpoint.cursor;
    return loaded;
  };
  const page: World['source']['page'] = request => {
    const held = early;
    if (request.path === '/v1/assets' && !held) {
      early = world.source.page({ ...request, path: '/v1/threats', cursor });
      early.catch(() => undefined);
    }
    if (request.path !== '/v1/threats' || request.cursor !== cursor || !held) return world.source.page(request);
    early = undefined;
    return held;
  };
  return { ...world, source: { page }, checkpoints: { ...world.checkpoints, load } };
}

export const REMOVAL_MUTANTS: readonly Mutant[] = [
  {
    rule: 'Assets, withdrawals and threats are walked one after the other',
    breakage: 'threats are read while assets are still walked',
    caughtAt: 193,
    variant: () => ({ world: readingThreatsEarly }),
  },
  {
    rule: 'Threats that vanish with their asset are withdrawn',
    breakage: 'only the tombstone is sent',
    variant: () => ({ world: world => ({ ...world, withdrawals: { ...world.withdrawals, pending: async () => [] } }) }),
  },
  {
    rule: "Withdrawals wait for the walk's end",
    breakage: 'they are sent at once',
    variant: () => ({
      world: world =>
        withAdd(world, async (stream, tombstones, guard) => {
          await withdrawNow(world, tombstones);
          await world.withdrawals.add(stream, tombstones, guard);
        }),
    }),
  },
  {
    rule: 'An asset restored meanwhile is struck off',
    breakage: 'its threats are withdrawn all the same',
    caughtAt: 24,
    variant: () => ({
      world: world => {
        const get: World['rowStates']['get'] = async (stream, ids) => {
          const states = await world.rowStates.get(stream, ids);
          if (stream !== 'assets' || ids.length > 1) return states;
          return new Map(
            [...states].map(([id, state]) => [id, state instanceof Error ? state : { ...state, removed: true }]),
          );
        };
        return { ...world, rowStates: { ...world.rowStates, get } };
      },
    }),
  },
  {
    rule: 'The list of removals is durable',
    breakage: 'it lives in memory',
    caughtAt: 77,
    variant: () => ({
      world: world => {
        const listed: ListedRemoval[] = [];
        const add = async (_: string, tombstones: readonly ListedRemoval[]) => void listed.push(...tombstones);
        const remove = async (_: string, id: string) =>
          void listed.splice(0, listed.length, ...listed.filter(each => each.id !== id));
        return { ...world, withdrawals: { add, remove, pending: async () => [...listed] } };
      },
    }),
  },
  {
    rule: 'A tombstone is listed before the states say "removed"',
    breakage: 'after them',
    variant: () => ({
      world: world => {
        let late: (() => Promise<void>) | undefined;
        const put: World['rowStates']['put'] = async (stream, states, guard) => {
          await world.rowStates.put(stream, states, guard);
          if (stream === 'assets') await late?.();
        };
        const add: World['withdrawals']['add'] = async (...args) => {
          late = () => world.withdrawals.add(...args);
        };
        return withAdd({ ...world, rowStates: { ...world.rowStates, put } }, add);
      },
    }),
  },
  {
    rule: 'The withdrawal step runs for assets never seen, too',
    breakage: 'their tombstones are not listed',
    variant: () => ({
      world: world =>
        withAdd(world, async (stream, tombstones, guard) => {
          const states = await world.rowStates.get(
            stream,
            tombstones.map(each => each.id),
          );
          const seen = tombstones.filter(each => states.has(each.id));
          if (seen.length > 0) await world.withdrawals.add(stream, seen, guard);
        }),
    }),
  },
  {
    rule: 'A tombstone of an asset never seen is not forwarded',
    breakage: 'it is',
    variant: () => ({
      world: world => {
        const get: World['rowStates']['get'] = async (stream, ids) => {
          const states = await world.rowStates.get(stream, ids);
          return new Map(ids.map(id => [id, states.get(id) ?? SEEN]));
        };
        return { ...world, rowStates: { ...world.rowStates, get } };
      },
    }),
  },
  {
    rule: 'A membership is written before its row is sent',
    breakage: 'with the states, after it',
    caughtAt: 198,
    variant: () => ({
      world: world => {
        let late: (() => Promise<void>)[] = [];
        const put: World['rowStates']['put'] = async (stream, states, guard) => {
          const writes = late;
          if (stream === 'threats') late = [];
          await world.rowStates.put(stream, states, guard);
          if (stream === 'threats') for (const write of writes) await write();
        };
        const memberships: World['memberships'] = {
          ...world.memberships,
          put: async (...args) => void late.push(() => world.memberships.put(...args)),
        };
        return { ...world, memberships, rowStates: { ...world.rowStates, put } };
      },
    }),
  },
  {
    rule: 'A threat that changes its asset is a member of the new one',
    breakage: 'only of the first',
    variant: () => ({
      world: world => {
        const put = async (stream: 'threats', all: readonly Membership[], guard: typeof NO_GUARD) => {
          const states = await world.rowStates.get(
            stream,
            all.map(each => each.id),
          );
          const fresh = all.filter(each => !states.has(each.id));
          if (fresh.length > 0) await world.memberships.put(stream, fresh, guard);
        };
        return { ...world, memberships: { ...world.memberships, put: put as World['memberships']['put'] } };
      },
    }),
  },
  {
    rule: 'Withdrawn rows are forgotten by the window and marked in their states',
    breakage: 'their states stay as they were',
    variant: () => ({
      world: world => {
        const put: World['rowStates']['put'] = async (stream, states, guard) => {
          const kept = new Map([...states].filter(([, state]) => stream !== 'threats' || !state.removed));
          if (kept.size > 0) await world.rowStates.put(stream, kept, guard);
        };
        return { ...world, rowStates: { ...world.rowStates, put } };
      },
    }),
  },
];
