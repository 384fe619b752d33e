/** Reads what the state table says of a connector, changing nothing. Values of cursors stay where they are. */

import type { SavedStream } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import { leaseKey, removalsPartition } from '../../../lambda/store/item.ts';
import { createTable, type Table } from '../../../lambda/store/table.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import { sha256, systemClock } from '../../../lambda/system.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

export interface LeaseState {
  readonly epoch: number;
  /** The run that took it last, by an id of its own. */
  readonly holder: string;
  readonly held: boolean;
  /** Milliseconds since the epoch; may lie in the past. */
  readonly expires: number;
  /** How the last run that ended gave it back. */
  readonly ended: string;
}

export interface ConnectorState {
  /** Absent: no run has ever taken it. */
  readonly lease: LeaseState | undefined;
  /** By stream its memory, or the error that a run would fail with. */
  readonly streams: ReadonlyMap<StreamName, SavedStream | Error>;
  /** By stream the removals whose consequences are still to be told. */
  readonly withdrawals: ReadonlyMap<StreamName, number>;
}

const BUDGET_MILLISECONDS = 20_000;

/** @throws AwsCallError */
export async function readState(aws: Aws, tableName: string, now: number): Promise<ConnectorState> {
  const end = now + BUDGET_MILLISECONDS;
  const retryBudget = { clock: systemClock, random: Math.random, timeLeft: () => end - systemClock.now() };
  const table = createTable(aws.dynamodb(), tableName, retryBudget);
  const names = STREAMS.map(stream => stream.name);
  try {
    const streams = await createCheckpoints(table, sha256).load(names);
    return { streams, lease: await readLease(table, now), withdrawals: await countWithdrawals(table) };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new AwsCallError(
      `The state table ${tableName} could not be read`,
      'Nothing was changed. You need dynamodb:BatchGetItem and dynamodb:Query on it.',
      cause,
    );
  }
}

async function readLease(table: Table, now: number): Promise<LeaseState | undefined> {
  const [item] = await table.get([leaseKey]);
  if (!item) return undefined;
  const expires = Number(item['expires']?.N);
  const ended = item['ended']?.S ?? '';
  const holder = item['holder']?.S ?? '';
  return { epoch: Number(item['epoch']?.N), holder, held: ended === 'no' && expires >= now, expires, ended };
}

async function countWithdrawals(table: Table): Promise<Map<StreamName, number>> {
  const counts = new Map<StreamName, number>();
  for (const { name, tombstones } of STREAMS) {
    if (tombstones) counts.set(name, (await table.query(removalsPartition(name))).length);
  }
  return counts;
}
