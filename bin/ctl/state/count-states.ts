/** How many rows of each stream the SIEM has, by the states in the table. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { ROW_PARTITIONS, rowPrefix } from '../../../lambda/store/item.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';
import type { Progress } from '../report/progress.ts';

const ADVICE = 'Nothing was done. --no-count leaves out the count, which needs ';

/**
 * Reads the whole table once, however many streams there are: no index knows. A state whose row is gone from the SIEM does not
 * count.
 *
 * @throws AwsCallError
 */
export async function countStates(
  aws: Aws,
  table: string,
  streams: readonly StreamName[],
  progress: Progress,
): Promise<Map<StreamName, number>> {
  const counts = new Map(streams.map(stream => [stream, 0]));
  let read = 0;
  const input = {
    TableName: table,
    ProjectionExpression: 'pk',
    FilterExpression: 'begins_with(pk, :row) AND removed = :no',
    ExpressionAttributeValues: { ':row': { S: ROW_PARTITIONS }, ':no': { BOOL: false } },
  };
  try {
    for await (const { Items = [], ScannedCount = 0 } of paginateScan({ client: aws.patientDynamodb() }, input)) {
      for (const { pk } of Items) {
        const stream = streams.find(name => pk?.S?.startsWith(rowPrefix(name)));
        if (stream) counts.set(stream, counts.get(stream)! + 1);
      }
      read += ScannedCount;
      const counted = [...counts].map(([stream, count]) => `${count} of ${stream}`);
      progress.advance(ScannedCount, `${read} items read, ${counted.join(', ')}`);
    }
  } catch (cause) {
    throw new AwsCallError(`The table ${table} could not be read`, `${ADVICE}dynamodb:Scan on it.`, cause);
  }
  return counts;
}
