import { describe, expect, test } from '@jest/globals';
import { AwsError, cutPage } from '../../../local/aws/service.ts';

const REFUSAL = new AwsError(400, 'InvalidNextToken', 'No.');

function sizes(length: number, size: number): number[] {
  const list = Array.from({ length }, (_, at) => at);
  const found: number[] = [];
  let token: string | undefined;
  do {
    const page = cutPage(list, size, token, REFUSAL);
    found.push(page.items.length);
    token = page.nextToken;
  } while (token !== undefined);
  return found;
}

describe('pages', () => {
  test.each([
    [0, 2, [0]],
    [2, 2, [2]],
    [3, 2, [2, 1]],
    [4, 2, [2, 2]],
  ])('of %i entries, %i in a page, are %p: no page is empty but that of an empty list', (length, size, expected) => {
    expect(sizes(length, size)).toEqual(expected);
  });

  test.each(['', 'strange', Buffer.from('from 2').toString('base64url'), Buffer.from('from -1').toString('base64url')])(
    'after the token %j, which none of a list of two ended with, are refused',
    token => {
      expect(() => cutPage([1, 2], 1, token, REFUSAL)).toThrow(REFUSAL);
    },
  );
});
