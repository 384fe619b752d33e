import type { Ports } from '../../../lambda/core/run.ts';
import type { PageSource } from '../../../lambda/ports.ts';
import { sha256 } from '../../../lambda/system.ts';
import { readEvent } from '../function/event-schema.ts';
import type { SteppedClock } from '../function/stepped-clock.ts';
import type { ScriptedApi } from './api.ts';
import type { Journal } from './journal.ts';
import type { MemoryTable } from './memory-table.ts';

interface Parts {
  readonly api: ScriptedApi;
  readonly source: PageSource;
  readonly clock: SteppedClock;
  readonly journal: Journal;
  readonly table: MemoryTable;
  /** Acknowledged by the delivery stream. */
  readonly lines: string[];
  /** The row of each dead letter, by `<stream> <reason> <hash>`. */
  readonly deadLetters: Map<string, string>;
  readonly warnings: string[];
  /** Logged as errors, as `<stream> <name of the error>`. */
  readonly errors: string[];
  /** The organization of the credentials. */
  readonly organization: string;
  /** Writes to the table whose answer was unclear. */
  readonly unclearWrites: number;
}

/** The core's ports over memory. Each call is a step of the journal, named `<stream> <what>`. */
export function memoryPorts(parts: Parts): Ports {
  const { source, clock, journal, table, lines, deadLetters, warnings, errors, organization } = parts;
  return {
    source,
    organization: async () => organization,
    clock,
    hash: sha256,
    log: {
      info: () => undefined,
      warn: message => void warnings.push(message),
      error: (_message, error, fields) => void errors.push(`${fields?.['stream']} ${(error as Error).name}`),
    },
    ...checkpointPorts(parts),
    ...rowPorts(journal, table),
    logs: {
      async put(stream, sequence, batch, assertLeaseValid) {
        await assertLeaseValid();
        const key = `log/${stream}/${sequence}`;
        await journal.step(`${stream} log`, () => void table.logs.set(key, batch));
        return { key };
      },
      async get(key) {
        const batch = table.logs.get(key);
        return batch && { stored: { key }, batch };
      },
      async delete(logs) {
        if (logs.length === 0) return;
        await journal.step(`logs deleted ${logs.length}`, () => {
          for (const { key } of logs) table.logs.delete(key);
        });
      },
    },
    delivery: {
      async deliver(records, assertLeaseValid) {
        await assertLeaseValid();
        const sent = records.flatMap(record => Buffer.from(record).toString().trimEnd().split('\n'));
        return journal.step(`${readEvent(sent[0]!).stream} delivery`, () => {
          lines.push(...sent);
        });
      },
    },
    deadLetters: {
      locate: ({ stream, rowHash }) => `s3://dead-letters/${stream}/${rowHash}.json`,
      store: deadLetter =>
        journal.step(`${deadLetter.stream} dead-letter`, () => {
          deadLetters.set(`${deadLetter.stream} ${deadLetter.reason} ${deadLetter.rowHash}`, deadLetter.row.toString());
        }),
    },
  };
}

function checkpointPorts(parts: Parts): Pick<Ports, 'checkpoints' | 'removals'> {
  const { journal, table } = parts;
  return {
    checkpoints: {
      load: async streams => ({
        streams: new Map(streams.map(stream => [stream, table.saved(stream)])),
        organization: table.organization,
      }),
      save: (stream, checkpoint) =>
        journal.step(`${stream} checkpoint`, () => void table.checkpoints.set(stream, checkpoint)),
      saveLog: (stream, log) => journal.step(`${stream} log-name`, () => void table.logNames.set(stream, log)),
      saveOrganization: digest =>
        journal.step('organization', () => {
          table.organization = digest;
        }),
      fence: (_streams, epoch) => journal.step(`fence ${epoch}`, () => undefined),
      unclearWrites: () => parts.unclearWrites,
    },
    removals: {
      list: async stream => table.removals(stream),
      async add(stream, removals, assertLeaseValid) {
        await assertLeaseValid();
        await journal.step(`${stream} removals`, () => {
          for (const each of removals) table.putRemoval(stream, each);
        });
      },
      async remove(stream, listings, assertLeaseValid) {
        await assertLeaseValid();
        await journal.step(`${stream} removals deleted ${listings.map(({ id }) => id).join(' ')}`, () => {
          for (const listing of listings) table.deleteRemoval(stream, listing);
        });
      },
    },
  };
}

function rowPorts(journal: Journal, table: MemoryTable): Pick<Ports, 'rowStates' | 'childIndex'> {
  return {
    rowStates: {
      get: (stream, ids) => {
        const found = ids.flatMap(id => {
          const state = table.state(stream, id);
          return state ? [[id, state] as const] : [];
        });
        return journal.step(`${stream} look-up ${ids.join(' ')}`, () => new Map(found));
      },
      async put(stream, states, assertLeaseValid) {
        await assertLeaseValid();
        await journal.step(`${stream} states`, () => {
          for (const [id, state] of states) table.putState(stream, id, state);
        });
      },
      unlisted: (stream, generation, from) =>
        journal.step(`${stream} scan ${from ?? ''}`.trimEnd(), () => table.unlisted(stream, generation, from)),
      removed: (stream, range, from) =>
        journal.step(`${stream} scan ${from ?? ''}`.trimEnd(), () => table.removed(stream, range, from)),
    },
    childIndex: {
      async put(stream, entries, assertLeaseValid) {
        await assertLeaseValid();
        await journal.step(`${stream} children`, () => {
          for (const each of entries) table.putChild(stream, each);
        });
      },
      of: async (stream, parent, limit, after) => table.childrenOf(stream, parent, limit, after),
      async delete(stream, entries, assertLeaseValid) {
        await assertLeaseValid();
        await journal.step(`${stream} children deleted`, () => {
          for (const each of entries) table.deleteChild(stream, each);
        });
      },
    },
  };
}
