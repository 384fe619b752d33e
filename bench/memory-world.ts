/** Every port in memory, so that nothing but the core's own work is measured. Delivery packs as the adapter does. */

import { sha256 } from '../lambda/adapters/sha256.ts';
import { BEGINNING } from '../lambda/core/beginning.ts';
import { envelope } from '../lambda/core/event.ts';
import type { EventFormat } from '../lambda/core/event-format.ts';
import { packCalls, packRecords } from '../lambda/core/pack.ts';
import type { Assignment, World } from '../lambda/core/run.ts';
import { type TickOutcome, tick } from '../lambda/core/tick.ts';
import type { HeldLease, PageSource, RowState, StreamMemory } from '../lambda/ports.ts';
import { STREAMS, type StreamName } from '../lambda/streams.ts';
import type { BenchStream } from './rows.ts';

export interface MemoryWorld {
  /** Drains the stream from where it stands. */
  run(stream: BenchStream): Promise<TickOutcome>;
  /** Back to the beginning: nothing was ever forwarded. */
  forget(): void;
}

export function createMemoryWorld(source: PageSource, format: EventFormat = envelope): MemoryWorld {
  const memories = new Map<StreamName, StreamMemory>();
  const states = new Map<string, RowState>();
  let epoch = 0;
  const memoryOf = (stream: StreamName): StreamMemory =>
    memories.get(stream) ?? { checkpoint: BEGINNING, inFlight: [] };
  const world: World = {
    source,
    checkpoints: {
      load: async streams => new Map(streams.map(stream => [stream, memoryOf(stream)])),
      save: async (stream, checkpoint) => void memories.set(stream, { ...memoryOf(stream), checkpoint }),
      saveInFlight: async (stream, inFlight) => void memories.set(stream, { ...memoryOf(stream), inFlight }),
      fence: async () => undefined,
    },
    rowStates: {
      get: async (_, ids) => new Map(ids.flatMap(id => (states.has(id) ? [[id, states.get(id)!]] : []))),
      put: async (_, put) => {
        for (const [id, state] of put) states.set(id, state);
      },
    },
    memberships: { put: async () => undefined, of: async () => [], delete: async () => undefined },
    withdrawals: { pending: async () => [], add: async () => undefined, remove: async () => undefined },
    delivery: {
      async deliver(lines) {
        if (packCalls(packRecords(lines)).length === 0) throw new Error('Nothing was packed');
        return 0;
      },
    },
    deadLetters: { locate: () => '', store: async () => undefined },
    clock: { now: Date.now, sleep: () => new Promise(() => undefined) },
    hash: sha256,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  return {
    run: stream =>
      tick({
        world,
        lease: { take: async () => held(++epoch) },
        assignment: assignment(stream, format),
        commands: { resync: [], replay: [] },
        outOfTime: () => false,
      }),
    forget() {
      memories.clear();
      states.clear();
    },
  };
}

function held(epoch: number): HeldLease {
  const { signal } = new AbortController();
  return { epoch, unclean: false, signal, guard: async () => undefined, release: async () => undefined };
}

function assignment(stream: BenchStream, format: EventFormat): Assignment {
  const facts = STREAMS.find(each => each.name === stream)!;
  return {
    connector: 'bench',
    streams: [{ ...facts, path: `/v1/${stream}` }],
    pageLimit: 500,
    ownerMember: 'asset_id',
    configuredNames: {},
    format,
  };
}
