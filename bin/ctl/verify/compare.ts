/** Compares what the API holds, from the beginning, with what the connector noted that the SIEM has. */
import { InFlight } from '../../../lambda/core/in-flight.ts';
import type { StreamMemory } from '../../../lambda/ports.ts';
import type { DrainedStream, StreamName } from '../../../lambda/streams.ts';
import type { Access } from '../access/access.ts';
import type { Context } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { scanText, tableSize } from '../state/table-size.ts';
import { type DeadLetterCount, deadLetterCount } from '../status/dead-letter-count.ts';
import { type Reading, reading } from '../status/reading.ts';
import { type Difference, differences, disagreement } from './difference.ts';
import { FACT, type Ledger } from './ledger.ts';
import { readStates } from './read-states.ts';
import { walkStream } from './walk-stream.ts';

export interface Comparison {
  readonly stream: DrainedStream;
  /** Of the API's list, repeats included. */
  readonly rows: number;
  /** Rows that no event can carry. */
  readonly unsendable: number;
  /** Ids that both sides agree on; nothing of a stream whose rows are not remembered one by one. */
  readonly equal: number | undefined;
  readonly found: readonly Difference[];
  /** Of the checkpoint: states of an earlier one await a replay. */
  readonly generation: number;
  /** The API told the list's end by `null`. */
  readonly ended: boolean;
  /** Ids that may have been sent without being noted, by a run that was killed: nothing is proven of them. */
  readonly inDoubt: number;
  readonly deadLetters: Reading<DeadLetterCount>;
}

type Memories = ReadonlyMap<StreamName, StreamMemory>;

/** @throws RefusedError, AwsCallError; as the API's client does */
export async function compare(
  context: Context,
  access: Access,
  streams: readonly DrainedStream[],
): Promise<Comparison[]> {
  const memories = await memoriesOf(access, streams);
  const remembered = streams.filter(({ memory }) => memory === 'row-states');
  const ledgers = await statesOf(context, remembered, memories);
  const comparisons: Comparison[] = [];
  for (const stream of streams) {
    const memory = memories.get(stream.name)!;
    comparisons.push(await compareStream(context, { access, stream, memory, ledger: ledgers.get(stream.name) }));
  }
  return comparisons;
}

async function memoriesOf(access: Access, streams: readonly DrainedStream[]): Promise<Memories> {
  const loaded = await access.checkpoints.load(streams.map(({ name }) => name));
  return new Map(
    [...loaded].map(([name, memory]) => {
      if (memory instanceof Error) throw new RefusedError(memory.message, { cause: memory });
      return [name, memory];
    }),
  );
}

function doubtsOf({ inFlight, checkpoint }: StreamMemory): number {
  return new InFlight(inFlight, checkpoint.settled).doubtCount;
}

/** The comparison with what is in doubt by now: a run under way has ids in doubt until it has noted them. */
export async function doubtedAgain<T extends Comparison>(access: Access, comparisons: readonly T[]): Promise<T[]> {
  const memories = await memoriesOf(
    access,
    comparisons.map(({ stream }) => stream),
  );
  return comparisons.map(each => {
    return each.equal === undefined ? each : { ...each, inDoubt: doubtsOf(memories.get(each.stream.name)!) };
  });
}

async function statesOf(
  context: Context,
  streams: readonly DrainedStream[],
  memories: Memories,
): Promise<ReadonlyMap<StreamName, Ledger>> {
  if (streams.length === 0) return new Map();
  const { aws, report } = context;
  const { table } = await context.deployment();
  const size = await tableSize(aws, table);
  using progress = report.progress(`Reading ${scanText(size)}.`, size.items);
  const wanted = streams.map(({ name }) => ({ name, generation: memories.get(name)!.checkpoint.generation }));
  return await readStates(aws, table, wanted, progress);
}

interface StreamInput {
  readonly access: Access;
  readonly stream: DrainedStream;
  readonly memory: StreamMemory;
  readonly ledger: Ledger | undefined;
}

async function compareStream(context: Context, { access, stream, memory, ledger }: StreamInput): Promise<Comparison> {
  const { aws, report, signal } = context;
  const { names, generation } = memory.checkpoint;
  const title = `Reading ${stream.name} from the API, from the beginning, 500 rows a request; nothing is sent or saved.`;
  using progress = report.progress(title, ledger && countOf(ledger, FACT.sent));
  const walked = await walkStream(context, { access, stream, ledger, learned: names, progress });
  const { rows, unsendable, digests, ended } = walked;
  const found = ledger ? differences(ledger, digests) : [];
  const deployment = await context.deployment();
  return {
    stream,
    rows,
    unsendable,
    equal: ledger && equalOf(ledger),
    found,
    generation,
    ended,
    inDoubt: ledger ? doubtsOf(memory) : 0,
    deadLetters: await reading(() => deadLetterCount(aws, deployment, stream.name), signal),
  };
}

function countOf(ledger: Ledger, facts: number): number {
  let count = 0;
  for (let place = 0; place < ledger.size; place++) if (ledger.facts(place) & facts) count++;
  return count;
}

/** Also what both sides say is gone. */
function equalOf(ledger: Ledger): number {
  let count = 0;
  for (let place = 0; place < ledger.size; place++) {
    const facts = ledger.facts(place);
    if (facts & (FACT.sent | FACT.told) && !disagreement(facts)) count++;
  }
  return count;
}
