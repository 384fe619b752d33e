/** Every row state of the table into ledgers, by a scan: no index knows. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { StoredState } from '../../../lambda/ports.ts';
import { type Item, ROW_PARTITIONS, rowPrefix } from '../../../lambda/store/item.ts';
import { decodeState } from '../../../lambda/store/rows.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';
import type { Progress } from '../report/progress.ts';
import { FACT, IdIndex } from './ledger.ts';

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
): Promise<Map<StreamName, IdIndex>> {
  const idIndexes = new Map(streams.map(({ name }) => [name, new IdIndex()]));
  let read = 0;
  const input = {
    TableName: table,
    FilterExpression: 'begins_with(pk, :row)',
    ExpressionAttributeValues: { ':row': { S: ROW_PARTITIONS } },
  };
  try {
    for await (const { Items = [], ScannedCount = 0 } of paginateScan({ client: aws.patientDynamodb() }, input)) {
      for (const item of Items) note(item, streams, idIndexes);
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
  return idIndexes;
}

function note(item: Item, streams: readonly StreamToCompare[], idIndexes: ReadonlyMap<StreamName, IdIndex>): void {
  const pk = item['pk']?.S ?? '';
  const stream = streams.find(({ name }) => pk.startsWith(rowPrefix(name)));
  if (!stream) return;
  const idIndex = idIndexes.get(stream.name)!;
  const place = idIndex.place(pk.slice(rowPrefix(stream.name).length));
  const state = decodeState(item, stream.name, sha256);
  idIndex.setFacts(place, factsOf(state, stream.generation));
  if (!(state instanceof Error)) idIndex.setDigest(place, state.rowHash);
}

function factsOf(state: StoredState, generation: number): number {
  if (state instanceof Error) return FACT.damaged;
  return (state.removed ? FACT.told : FACT.sent) | (state.generation < generation ? FACT.stale : 0);
}
