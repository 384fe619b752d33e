import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { leaseKey } from '../../lambda/store/item.ts';

/** How the epoch of the newest lease is read, at these endpoints. */
export function leaseEpochReader(environment: Readonly<Record<string, string>>): () => Promise<number> {
  const client = new DynamoDBClient({
    endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB']!,
    region: environment['AWS_REGION']!,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const command = { TableName: environment['STATE_TABLE']!, Key: leaseKey, ConsistentRead: true };
  return async () => Number((await client.send(new GetItemCommand(command))).Item?.['epoch']?.N ?? 0);
}
