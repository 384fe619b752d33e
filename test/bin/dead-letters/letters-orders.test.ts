import { expect, test } from '@jest/globals';
import { lettersOrders } from '../../../bin/ctl/dead-letters/redrive-letters.ts';
import { MAX_REDRIVE } from '../../../lambda/command.ts';

test('rows are ordered a lane at a time, no more at once than the function takes, and each once', () => {
  const key = (stream: string, at: number) => `dead-letter/acme/${stream}/oversize/${at.toString(16)}.json`;
  const blocks = Array.from({ length: MAX_REDRIVE + 1 }, (_, at) => key('dns-blocks', at));
  const inventory = [key('threats', 1), key('assets', 2)];
  expect(lettersOrders([...blocks, ...inventory], 'acme')).toEqual([
    { streams: ['assets', 'threats'], redrive: inventory },
    { streams: ['dns-blocks'], redrive: blocks.slice(0, MAX_REDRIVE) },
    { streams: ['dns-blocks'], redrive: blocks.slice(MAX_REDRIVE) },
  ]);
  expect(lettersOrders([], 'acme')).toEqual([]);
});
