import type { Item } from '../../../../lambda/store/item.ts';
import { createDynamoDbService, type DynamoDbClient, keySchema } from '../../../../local/aws/dynamodb.ts';
import { forward } from './forward.ts';

/** Speaks to a DynamoDB over HTTP, as the embedded one is spoken to without. */
export function realDynamoDb(url: string): DynamoDbClient {
  return async (action, input) => {
    const headers = {
      // DynamoDB Local reads the key and the region out of it, and checks no signature.
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20000101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': '20000101T000000Z',
      'x-amz-target': `DynamoDB_20120810.${action}`,
    };
    const { status, body } = await forward(url, {
      method: 'POST',
      url: '/',
      headers,
      body: Buffer.from(JSON.stringify(input)),
    });
    return { status, body: JSON.parse(String(body)) };
  };
}

export interface RealTable {
  readonly service: ReturnType<typeof createDynamoDbService>;
  items(): Promise<Item[]>;
  /** Deletes the table. */
  close(): Promise<void>;
}

/** A table of its own for a scene. */
export async function realTable(url: string, TableName: string): Promise<RealTable> {
  const client = realDynamoDb(url);
  const { status, body } = await client('CreateTable', { TableName, ...keySchema });
  if (status !== 200) throw new Error(`DynamoDB Local did not create the table: ${JSON.stringify(body)}`);
  return {
    service: createDynamoDbService(client, { region: 'us-east-1', account: '000000000000' }),
    async items() {
      const { body } = await client('Scan', { TableName, ConsistentRead: true });
      return body['Items'] as Item[];
    },
    close: async () => void (await client('DeleteTable', { TableName })),
  };
}
