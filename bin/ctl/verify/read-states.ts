/** Every row state of the table into ledgers, by a scan: no index knows. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { ROW_PARTITIONS, rowPrefix } from '../../../lambda/adapters/keys.ts';
import { decodeState } from '../../../lambda/adapters/row-states.ts';
import type { Item } from '../../../lambda/adapters/sealed-item.ts';
import { sha256 } from '../../../lambda/adapters/sha256.ts';
import type { StoredState } from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';
import type { Progress } from '../report/progress.ts';
import { FACT, Ledger } from './ledger.ts';

export interface StreamToCompare {
  readonly name: StreamName;
  /** Of its checkpoint: states of an earlier one no longer say what the SIEM has. */
  readonly generation: number;
}

/**
 * Read without strong consistency, at half the price: what differs is read again, strongly, before it counts.
 *
 * @throws AwsCallError
 */
export async function readStates(
  aws: Aws,
  table: string,
  streams: readonly StreamToCompare[],
  progress: Progress,
): Promise<Map<StreamName, Ledger>> {
  const ledgers = new Map(streams.map(({ name }) => [name, new Ledger()]));
  let read = 0;
  const input = {
    TableName: table,
    FilterExpression: 'begins_with(pk, :row)',
    ExpressionAttributeValues: { ':row': { S: ROW_PARTITIONS } },
  };
  try {
    for await (const { Items = [], ScannedCount = 0 } of paginateScan({ client: aws.patientDynamodb() }, input)) {
      for (const item of Items) note(item, streams, ledgers);
      read += ScannedCount;
      progress.advance(ScannedCount, `${read} items of the table read`);
    }
  } catch (cause) {
    throw new AwsCallError(
      `The table ${table} could not be read`,
      'Nothing was changed. You need dynamodb:Scan on it.',
      cause,
    );
  }
  return ledgers;
}

function note(item: Item, streams: readonly StreamToCompare[], ledgers: ReadonlyMap<StreamName, Ledger>): void {
  const pk = item['pk']?.S ?? '';
  const stream = streams.find(({ name }) => pk.startsWith(rowPrefix(name)));
  if (!stream) return;
  const ledger = ledgers.get(stream.name)!;
  const place = ledger.place(pk.slice(rowPrefix(stream.name).length));
  const state = decodeState(item, stream.name, sha256);
  ledger.setFacts(place, factsOf(state, stream.generation));
  if (!(state instanceof Error)) ledger.setDigest(place, state.digest);
}

function factsOf(state: StoredState, generation: number): number {
  if (state instanceof Error) return FACT.damaged;
  return (state.removed ? FACT.told : FACT.sent) | (state.generation < generation ? FACT.stale : 0);
}
