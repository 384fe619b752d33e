import { membersToCut } from '../../../lambda/core/row.ts';
import {
  type Assignment,
  addCounts,
  EMPTY_RESULT,
  type Ports,
  type Run,
  type StreamResult,
  type StreamRun,
} from '../../../lambda/core/run.ts';
import { type Commands, type RunOutcome, runStreams } from '../../../lambda/core/run-streams.ts';
import { Sequencer } from '../../../lambda/core/sequence.ts';
import { StreamLogs } from '../../../lambda/core/stream-logs.ts';
import { createRowFilter, type FilterOptions } from '../../../lambda/filters.ts';
import type { HeldLease, Lease, PageSource } from '../../../lambda/ports.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import { type Event, readEvent } from '../function/event-schema.ts';
import { steppedClock } from '../function/stepped-clock.ts';
import { ScriptedApi } from './api.ts';
import { Journal } from './journal.ts';
import { memoryPorts } from './memory-ports.ts';
import { MemoryTable } from './memory-table.ts';

/**
 * The streams that the tests of the core are about: one of each sort. Short paths, so that scripts
 * read well.
 */
const PATHS: Readonly<Partial<Record<StreamName, string>>> = { assets: '/a', threats: '/t', 'dns-blocks': '/d' };

export interface RunChange extends Partial<Assignment>, Partial<Commands> {
  readonly filters?: Readonly<Partial<Record<StreamName, FilterOptions>>>;
  readonly only?: readonly StreamName[];
  readonly outOfTime?: () => boolean;
}

/** The core with a scripted API in front, a table and a SIEM behind, all in memory. */
export class Harness {
  readonly api = new ScriptedApi();
  /** The API that lists are read from: the script, unless a test has another one. */
  source: PageSource = this.api;
  readonly clock = steppedClock();
  readonly journal = new Journal();
  readonly table = new MemoryTable();
  readonly lines: string[] = [];
  readonly deadLetters = new Map<string, string>();
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  /** How each lease was given back. */
  readonly releases: { readonly clean: boolean; readonly unclear?: boolean }[] = [];
  readonly lost = new AbortController();
  /** Whether the run before ended without releasing its lease. */
  dirty = false;
  /** Runs in a row before this one that ended early, because answers were unclear. */
  unclearRuns = 0;
  /** Writes to the table whose answer was unclear in this run. */
  unclearWrites = 0;
  /** The error with which a release of the lease fails. */
  releaseFails: Error | undefined;
  /** Whether another run holds the lease. */
  occupied = false;
  /** The organization of the credentials. */
  organization = 'acme';
  #epoch = 0;
  #writes = 0;

  get events(): Event[] {
    return this.lines.map(readEvent);
  }

  /** The events that were sent, as `<kind> <id>`. */
  get sent(): string[] {
    return this.events.map(({ kind, id }) => `${kind} ${id}`);
  }

  get ports(): Ports {
    return memoryPorts(this);
  }

  held(): HeldLease {
    return {
      epoch: this.#epoch,
      tableId: 'table',
      dirty: this.dirty,
      unclearRuns: this.unclearRuns,
      signal: this.lost.signal,
      nextFence: () => ({ epoch: this.#epoch, write: ++this.#writes }),
      assertValid: async () => this.lost.signal.throwIfAborted(),
      release: async outcome => {
        this.releases.push(outcome);
        if (this.releaseFails) throw this.releaseFails;
      },
    };
  }

  runOf(change: Partial<Run> = {}): Run {
    this.#epoch++;
    return {
      ...this.ports,
      assignment: assignment({}),
      lease: this.held(),
      sequencer: new Sequencer(this.#epoch),
      outOfTime: () => false,
      ...change,
    };
  }

  /** One run over the streams that have a script, or those named. */
  async run({
    resync = [],
    replay = [],
    confirmOrganization,
    confirmWithdrawals,
    outOfTime = () => false,
    ...change
  }: RunChange = {}): Promise<RunOutcome> {
    const lease: Lease = {
      take: async () => {
        if (this.occupied) return undefined;
        this.#epoch++;
        return this.held();
      },
    };
    return runStreams({
      ports: this.ports,
      lease,
      assignment: assignment(change),
      commands: { resync, replay, confirmOrganization, confirmWithdrawals },
      outOfTime,
    });
  }

  /** One stream of one run, for tests of a part of it. The counts are added to the result. */
  streamRun(name: StreamName, change: Partial<Run> = {}): StreamRun & { result: StreamResult } {
    const run = this.runOf(change);
    const streamRun = {
      stream: run.assignment.streams.find(stream => stream.name === name)!,
      run,
      result: EMPTY_RESULT,
      count: (counts: Partial<StreamResult>) => {
        streamRun.result = addCounts(streamRun.result, counts);
      },
      logs: new StreamLogs(run),
      isOver: () => run.outOfTime(),
    };
    return streamRun;
  }

  /** `tag` of the filter of a stream. */
  tagOf(name: StreamName, filters: RunChange['filters']): string {
    return assignment({ filters }).streams.find(stream => stream.name === name)!.filter!.tag;
  }

  /** Runs one stream. Returns its result, or throws its failure. */
  async runStream(stream: StreamName, change: RunChange = {}): Promise<StreamResult> {
    const { results, failures } = await this.run({ ...change, only: [stream] });
    const failure = failures.get(stream);
    if (failure) throw failure;
    return results.get(stream)!;
  }

  /** Starts another run: forgets what was sent and recorded, and keeps the table. */
  later(): this {
    this.lines.length = 0;
    this.journal.clear();
    this.api.requests.length = 0;
    return this;
  }
}

function assignment({ only, filters = {}, ...change }: RunChange): Assignment {
  const streams = STREAMS.flatMap(each => {
    const path = PATHS[each.name];
    if (path === undefined) return [];
    return [
      {
        ...each,
        path,
        filter: createRowFilter(filters[each.name] ?? {}, path, membersToCut(each, 'asset_id'), sha256),
      },
    ];
  });
  return {
    connector: 'acme',
    streams: only ? streams.filter(each => only.includes(each.name)) : streams,
    pageLimit: 500,
    parentMember: 'asset_id',
    configuredNames: {},
    ...change,
  };
}
