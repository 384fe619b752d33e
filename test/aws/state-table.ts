/** Requests to the state table of the embedded DynamoDB. */
import { type AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig, type Started } from './started.ts';

export const TableName = 'security-data-connector-state';

export function clientOf(running: Started): DynamoDBClient {
  return new DynamoDBClient(clientConfig(running.aws, 'DYNAMODB'));
}

export function item(pk: string, sk: string, value = ''): Record<string, AttributeValue> {
  return { pk: { S: pk }, sk: { S: sk }, value: { S: value } };
}

export function key(pk: string, sk: string): Record<string, AttributeValue> {
  return { pk: { S: pk }, sk: { S: sk } };
}
