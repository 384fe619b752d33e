import { expect } from '@jest/globals';
import type { Expected, JsonObject } from './table-contract.ts';

/** An answer on the wire, where bytes are base64. */
export interface WireAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Compares an answer with that of the contract. Messages are not compared. */
export function expectAnswer({ status, body }: WireAnswer, expected: Expected): void {
  const code = String(body['__type'] ?? '').replace(/^.*#/, '');
  const answer = status === 200 ? body : code;
  expect(answer).toEqual(expected);
}
