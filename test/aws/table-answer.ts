import { expect } from '@jest/globals';
import type { DynamoDbAnswer } from '../../local/aws/dynamodb.ts';
import type { Expected } from './table-contract.ts';

/** Compares an answer with that of the contract. Messages are not compared. */
export function expectAnswer({ status, body }: DynamoDbAnswer, expected: Expected): void {
  const code = String(body['__type'] ?? '').replace(/^.*#/, '');
  const answer = status === 200 ? body : code;
  expect(answer).toEqual(expected);
}
