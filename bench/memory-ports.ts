/** Every port in memory, so that only the core's own work is measured. Delivery packs records as the adapter does. */

import { type EventFormat, envelope } from '../lambda/core/event.ts';
import type { Assignment, Ports } from '../lambda/core/run.ts';
import { type RunOutcome, runStreams } from '../lambda/core/run-streams.ts';
import { BEGINNING } from '../lambda/core/stream-state.ts';
import type { HeldLease, PageSource, RowState, SavedStream } from '../lambda/ports.ts';
import { packCalls, packRecords } from '../lambda/sink/firehose.ts';
import { STREAMS, type StreamName } from '../lambda/streams.ts';
import { sha256 } from '../lambda/system.ts';
import type { BenchStream } from './rows.ts';

export interface MemoryPorts {
  /** Drains the stream from its saved state. */
  run(stream: BenchStream): Promise<RunOutcome>;
  /** Drops all state, as if nothing had ever been sent. */
  forget(): void;
}

export function createMemoryPorts(source: PageSource, format: EventFormat = envelope): MemoryPorts {
  const saved = new Map<StreamName, SavedStream>();
  const states = new Map<string, RowState>();
  let epoch = 0;
  const savedOf = (stream: StreamName): SavedStream => saved.get(stream) ?? { checkpoint: BEGINNING, intents: [] };
  const ports: Ports = {
    source,
    checkpoints: {
      load: async streams => new Map(streams.map(stream => [stream, savedOf(stream)])),
      save: async (stream, checkpoint) => void saved.set(stream, { ...savedOf(stream), checkpoint }),
      saveIntents: async (stream, intents) => void saved.set(stream, { ...savedOf(stream), intents }),
      loadRefresh: async () => undefined,
      saveRefresh: async () => undefined,
      fence: async () => undefined,
    },
    rowStates: {
      get: async (_, ids) => new Map(ids.flatMap(id => (states.has(id) ? [[id, states.get(id)!]] : []))),
      put: async (_, put) => {
        for (const [id, state] of put) states.set(id, state);
      },
    },
    childIndex: { put: async () => undefined, of: async () => [], delete: async () => undefined },
    removals: { list: async () => [], add: async () => undefined, remove: async () => undefined },
    delivery: {
      async deliver(lines) {
        if (packCalls(packRecords(lines)).length === 0) throw new Error('Nothing was packed');
        return 0;
      },
    },
    rows: { row: async () => Promise.reject(new Error('No dead letter is tried again here')) },
    deadLetters: {
      locate: () => '',
      store: async () => undefined,
      read: async () => undefined,
      remove: async () => undefined,
    },
    clock: { now: Date.now, sleep: () => new Promise(() => undefined) },
    hash: sha256,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  return {
    run: stream =>
      runStreams({
        ports,
        lease: { take: async () => held(++epoch) },
        assignment: assignment(stream, format),
        commands: { resync: [], replay: [] },
        outOfTime: () => false,
      }),
    forget() {
      saved.clear();
      states.clear();
    },
  };
}

function held(epoch: number): HeldLease {
  const { signal } = new AbortController();
  return { epoch, dirty: false, signal, assertValid: async () => undefined, release: async () => undefined };
}

function assignment(stream: BenchStream, format: EventFormat): Assignment {
  const facts = STREAMS.find(each => each.name === stream)!;
  return {
    connector: 'bench',
    streams: [{ ...facts, path: `/v1/${stream}` }],
    pageLimit: 500,
    parentMember: 'asset_id',
    configuredNames: {},
    format,
  };
}
