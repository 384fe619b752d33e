import type { Reply } from './contract-client.ts';
import { isObject } from './page-shape.ts';
import { hold } from './rule.ts';

/** Holds a refusal against the problem-document rules: status, and a type that ends in the suffix where one is specified. */
export function refusal({ status, body }: Reply, expected: number, suffix?: string): void {
  hold(status === expected, `The answer was ${status}, not ${expected}.`);
  hold(isObject(body), 'The error body is not a JSON object.');
  const type = body['type'];
  hold(typeof type === 'string' && type !== '', 'The problem document has no type.');
  if (suffix !== undefined) hold(type.endsWith(suffix), `The type ${type} does not end in ${suffix}.`);
}
