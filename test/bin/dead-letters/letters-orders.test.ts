import { expect, test } from '@jest/globals';
import { lettersOrders } from '../../../bin/ctl/dead-letters/redrive-letters.ts';
import { MOST_LETTERS } from '../../../lambda/order.ts';

test('rows are ordered a lane at a time, no more at once than the function takes, and each once', () => {
  const key = (stream: string, at: number) => `dead-letter/acme/${stream}/oversize/${at.toString(16)}.json`;
  const blocks = Array.from({ length: MOST_LETTERS + 1 }, (_, at) => key('dns-blocks', at));
  const inventory = [key('threats', 1), key('assets', 2)];
  expect(lettersOrders([...blocks, ...inventory], 'acme')).toEqual([
    { streams: ['assets', 'threats'], redrive: inventory },
    { streams: ['dns-blocks'], redrive: blocks.slice(0, MOST_LETTERS) },
    { streams: ['dns-blocks'], redrive: blocks.slice(MOST_LETTERS) },
  ]);
  expect(lettersOrders([], 'acme')).toEqual([]);
});
