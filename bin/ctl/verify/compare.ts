/** Compares what the API holds, from the beginning, with what the connector noted that the SIEM has. */
import { initialState } from '../../../lambda/core/stream-state.ts';
import type { SavedStream } from '../../../lambda/ports.ts';
import type { StreamName, SyncedStream } from '../../../lambda/streams.ts';
import type { Access } from '../access/access.ts';
import type { Context } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { scanText, tableSize } from '../state/table-size.ts';
import { type DeadLetterCount, deadLetterCount } from '../status/dead-letter-count.ts';
import { type ReadResult, result } from '../status/reading.ts';
import { type Difference, differences, disagreement } from './difference.ts';
import { FACT, type IdIndex } from './ledger.ts';
import { readStates } from './read-states.ts';
import { walkStream } from './walk-stream.ts';

export interface Comparison {
  readonly stream: SyncedStream;
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
  readonly unconfirmed: number;
  readonly deadLetters: ReadResult<DeadLetterCount>;
}

type Memories = ReadonlyMap<StreamName, SavedStream>;

/** @throws RefusedError, AwsCallError; as the API's client does */
export async function compare(
  context: Context,
  access: Access,
  streams: readonly SyncedStream[],
): Promise<Comparison[]> {
  const memories = await memoriesOf(access, streams);
  const remembered = streams.filter(({ hasRowStates }) => hasRowStates);
  const idIndexes = await statesOf(context, remembered, memories);
  const comparisons: Comparison[] = [];
  for (const stream of streams) {
    const memory = memories.get(stream.name)!;
    comparisons.push(await compareStream(context, { access, stream, memory, idIndex: idIndexes.get(stream.name) }));
  }
  return comparisons;
}

async function memoriesOf(access: Access, streams: readonly SyncedStream[]): Promise<Memories> {
  const loaded = await access.checkpoints.load(streams.map(({ name }) => name));
  return new Map(
    [...loaded].map(([name, memory]) => {
      if (memory instanceof Error) throw new RefusedError(memory.message, { cause: memory });
      return [name, memory];
    }),
  );
}

function unconfirmedOf({ intents, checkpoint }: SavedStream): number {
  return initialState({ intents, checkpoint }).unconfirmed.size;
}

/** The comparison with what is in doubt by now: a run under way has ids in doubt until it has noted them. */
export async function unconfirmedAgain<T extends Comparison>(access: Access, comparisons: readonly T[]): Promise<T[]> {
  const memories = await memoriesOf(
    access,
    comparisons.map(({ stream }) => stream),
  );
  return comparisons.map(each => {
    return each.equal === undefined ? each : { ...each, unconfirmed: unconfirmedOf(memories.get(each.stream.name)!) };
  });
}

async function statesOf(
  context: Context,
  streams: readonly SyncedStream[],
  memories: Memories,
): Promise<ReadonlyMap<StreamName, IdIndex>> {
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
  readonly stream: SyncedStream;
  readonly memory: SavedStream;
  readonly idIndex: IdIndex | undefined;
}

async function compareStream(context: Context, { access, stream, memory, idIndex }: StreamInput): Promise<Comparison> {
  const { aws, report, signal } = context;
  const { names, generation } = memory.checkpoint;
  const title = `Reading ${stream.name} from the API, from the beginning, 500 rows a request; nothing is sent or saved.`;
  using progress = report.progress(title, idIndex && countOf(idIndex, FACT.sent));
  const walked = await walkStream(context, { access, stream, idIndex, learned: names, progress });
  const { rows, unsendable, rowHashes, ended } = walked;
  const found = idIndex ? differences(idIndex, rowHashes) : [];
  const deployment = await context.deployment();
  return {
    stream,
    rows,
    unsendable,
    equal: idIndex && equalOf(idIndex),
    found,
    generation,
    ended,
    unconfirmed: idIndex ? unconfirmedOf(memory) : 0,
    deadLetters: await result(() => deadLetterCount(aws, deployment, stream.name), signal),
  };
}

function countOf(idIndex: IdIndex, facts: number): number {
  let count = 0;
  for (let place = 0; place < idIndex.size; place++) if (idIndex.facts(place) & facts) count++;
  return count;
}

/** Also what both sides say is gone. */
function equalOf(idIndex: IdIndex): number {
  let count = 0;
  for (let place = 0; place < idIndex.size; place++) {
    const facts = idIndex.facts(place);
    if (facts & (FACT.sent | FACT.told) && !disagreement(facts)) count++;
  }
  return count;
}
