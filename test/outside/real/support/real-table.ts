import type { Item } from '../../../../lambda/store/item.ts';
import type { LocalService } from '../../../../local/aws/call.ts';
import { dynamoDbService } from '../../../../local/aws/local-aws.ts';
import { AwsError } from '../../../../local/aws/service.ts';
import { MemoryTable } from '../../../../local/aws/table.ts';
import { readTableJson, tableJson } from '../../../../local/aws/table-json.ts';
import { PLACE } from '../../../aws/references.ts';
import type { WireAnswer } from '../../../aws/table-answer.ts';
import type { JsonObject } from '../../../aws/table-contract.ts';

/** Sends requests to a DynamoDB as they are on the wire. */
export function realDynamoDb(url: string): (action: string, input: JsonObject) => Promise<WireAnswer> {
  return async (action, input) => {
    const headers = {
      // DynamoDB Local reads the key and the region out of it, and checks no signature.
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20000101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': '20000101T000000Z',
      'x-amz-target': `DynamoDB_20120810.${action}`,
    };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
}

export interface RealTable {
  readonly service: LocalService;
  items(): Promise<Item[]>;
  /** Deletes the table. */
  close(): Promise<void>;
}

const KEY_SCHEMA = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk'].map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
};

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** The same requests, each metered. */
function realService(client: ReturnType<typeof realDynamoDb>, name: string): LocalService {
  return {
    ...dynamoDbService(new MemoryTable(name), PLACE),
    async perform(action, input) {
      const metered = { ...input, ReturnConsumedCapacity: 'TOTAL' };
      const { status, body } = await client(action, JSON.parse(tableJson(metered)));
      const { __type: type = '', message = '', ConsumedCapacity: capacity, ...rest } = body;
      if (status !== 200) throw new AwsError(status, String(type).replace(/^.*#/, ''), String(message));
      const capacities = [capacity ?? []].flat() as unknown as readonly { readonly CapacityUnits: number }[];
      const units = capacities.reduce((sum, each) => sum + each.CapacityUnits, 0);
      const output = readTableJson(JSON.stringify(rest));
      return READS.has(action) ? { output, readUnits: units } : { output, writeUnits: units };
    },
  };
}

/** A table of its own for a scene. */
export async function realTable(url: string, TableName: string): Promise<RealTable> {
  const client = realDynamoDb(url);
  const { status, body } = await client('CreateTable', { TableName, ...KEY_SCHEMA });
  if (status !== 200) throw new Error(`DynamoDB Local did not create the table: ${JSON.stringify(body)}`);
  return {
    service: realService(client, TableName),
    async items() {
      const { body } = await client('Scan', { TableName, ConsistentRead: true });
      return body['Items'] as Item[];
    },
    close: async () => void (await client('DeleteTable', { TableName })),
  };
}
