/** Gives the differences that `verify` found to the function, which asks the API for each and sends what is true. */

import type { InvocationResult } from '../../../../lambda/invocation.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import type { Context } from '../../context.ts';
import { InterruptedError, LeaseHeldError } from '../../errors.ts';
import { invoke } from '../../function-command.ts';
import { groupBy } from '../../group-by.ts';
import type { FunctionCommand } from '../../invoke.ts';
import { type Painted, paint, painted, type Text } from '../../painted.ts';
import type { Outcome } from '../../report.ts';
import { isComplete, lasting, type Verification, verifyOutcome } from './verify-result.ts';

/** The outcome of a row, as the function reports it. */
export interface Repaired {
  readonly stream: StreamName;
  readonly id: string;
  /** `withdrawn`: the API confirms that it is gone. `sent`: the SIEM was sent the row that the API has. */
  readonly outcome: 'withdrawn' | 'sent' | 'unchanged' | 'kept';
  /** Why it was kept. */
  readonly reason?: string;
}

type Repair = NonNullable<FunctionCommand['repair']>;

/** Ids of one command: the function asks the API for each within the time of a run. */
const MOST_IDS = 500;

/** Commands in the order of the streams, because the SIEM is to know an asset before its threats. */
export function repairCommands(differing: readonly Pick<Repaired, 'stream' | 'id'>[]): Repair[] {
  return Array.from({ length: Math.ceil(differing.length / MOST_IDS) }, (_, at) => {
    const piece = differing.slice(at * MOST_IDS, (at + 1) * MOST_IDS);
    const streams = [...groupBy(piece, ({ stream }) => stream)];
    return Object.fromEntries(streams.map(([stream, all]) => [stream, all.map(({ id }) => id)]));
  });
}

/**
 * Prints what was found, then each row as it is repaired.
 *
 * @param limit of ids per kind in the text
 * @throws RefusedError, LeaseHeldError, FunctionFailedError, AwsCallError, InterruptedError
 */
export async function repair(context: Context, verification: Verification, limit: number): Promise<Outcome> {
  const { report } = context;
  const found = verifyOutcome(verification, limit);
  const all = verification.streams.flatMap(each =>
    lasting(each).map(({ id, key }) => ({ stream: each.stream.name, id, key })),
  );
  if (all.length === 0) return { ...found, json: { ...(found.json as object), repaired: [] } };
  const print = (line: Text) => report.json || report.print(line);
  print(painted`${found.text}\n`);
  const differing = all.flatMap(({ stream, id }) => (id === undefined ? [] : [{ stream, id }]));
  const repaired: Repaired[] = all
    .filter(({ id }) => id === undefined)
    .map(({ stream, key }) => unknownId(stream, key));
  for (const row of repaired) print(rowText(row));
  for (const command of repairCommands(differing)) {
    const rows = await repairedBy(context, command, repaired.length);
    for (const row of rows) print(rowText(row));
    repaired.push(...rows);
  }
  const isRepaired = repaired.every(({ outcome }) => outcome !== 'kept');
  const rest = verification.streams.some(each => !isComplete({ ...each, found: [], checked: undefined }));
  return {
    text: painted`\n${summary(repaired)}${rest ? ' Dead letters or unconfirmed ids remain.' : ''}`,
    json: { ...(found.json as object), repaired },
    status: isRepaired && !rest ? 0 : 3,
  };
}

async function repairedBy(context: Context, command: Repair, before: number): Promise<Repaired[]> {
  const result = await invokeWhenFree(context, command).catch((error: unknown) => {
    if (!(error instanceof InterruptedError) || before === 0) throw error;
    throw new InterruptedError(`${error.message} The rows above are done.`, { cause: error });
  });
  const rows = (result as { readonly repaired?: readonly Repaired[] }).repaired ?? [];
  const wanted = Object.entries(command).flatMap(([stream, ids]) =>
    ids.map(id => ({ stream: stream as StreamName, id })),
  );
  return wanted.map(
    ({ stream, id }) => rows.find(each => each.stream === stream && each.id === id) ?? open(stream, id),
  );
}

/** A scheduled run may hold the lease for 15 minutes. */
const WAIT_MILLISECONDS = 16 * 60_000;
const PAUSE_MILLISECONDS = 5_000;

/** Waits for the lease, because the schedule takes it between two parts of a repair. @throws as `invoke` does */
async function invokeWhenFree(context: Context, command: Repair): Promise<InvocationResult> {
  const { clock, signal, report } = context;
  const end = clock.now() + WAIT_MILLISECONDS;
  for (;;) {
    try {
      return await invoke(context, { repair: command });
    } catch (error) {
      if (!(error instanceof LeaseHeldError) || clock.now() >= end) throw error;
    }
    report.say('Another run holds the lease. Trying again.');
    await clock.sleep(PAUSE_MILLISECONDS, signal).catch((cause: unknown) => {
      throw new InterruptedError('Interrupted while waiting for the lease.', { cause });
    });
  }
}

function open(stream: StreamName, id: string): Repaired {
  return { stream, id, outcome: 'kept', reason: 'the function has not reported it. Repeat the command' };
}

function unknownId(stream: StreamName, key: string): Repaired {
  const reason = `the table has only the hash of its id. A resync of ${stream} repairs it if the API has it`;
  return { stream, id: key.slice(1), outcome: 'kept', reason };
}

function rowText({ stream, id, outcome, reason }: Repaired): Painted {
  const text = outcome === 'kept' ? paint.bad(outcome) : paint.good(outcome);
  return painted`${stream}  ${JSON.stringify(id)}  ${text}${reason === undefined ? '' : `: ${reason}`}`;
}

function summary(repaired: readonly Repaired[]): Painted {
  const count = (outcome: Repaired['outcome']) => repaired.filter(each => each.outcome === outcome).length;
  const kept = count('kept');
  const head = kept === 0 ? paint.good('Repaired') : paint.bad('Not repaired');
  return painted`${head}: ${count('withdrawn')} withdrawn, ${count('sent')} sent, ${count('unchanged')} unchanged, ${kept} kept.`;
}
