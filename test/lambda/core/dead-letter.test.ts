import { describe, expect, test } from '@jest/globals';
import {
  deadLetterBody,
  deadLetterKey,
  deadLettersPrefix,
  parseDeadLetterKey,
  readDeadLetter,
} from '../../../lambda/core/dead-letter.ts';
import type { DeadLetter } from '../../../lambda/ports.ts';
import { PREFIXES } from '../../../lib/prefixes.ts';

const LETTER: DeadLetter = {
  stream: 'threats',
  reason: 'oversize',
  rowHash: '0a1b',
  // A row may have members named like those of a letter.
  text: '{"id":"t","reason":"no-id","row":{"n":1.0,"row":"}"}}',
};

describe('of a dead letter', () => {
  test('the key says whose it is and why, as it is read', () => {
    const key = deadLetterKey(LETTER, 'acme');
    expect(key).toBe('dead-letter/acme/threats/oversize/0a1b.json');
    expect(parseDeadLetterKey(key, 'acme')).toEqual({ stream: 'threats', reason: 'oversize' });
    expect([deadLettersPrefix('acme'), deadLettersPrefix('acme', 'threats')].map(each => key.startsWith(each))).toEqual(
      [true, true],
    );
  });

  test.each([
    'dead-letter/other/threats/oversize/0a1b.json',
    'dead-letter/acme/users/oversize/0a1b.json',
    'dead-letter/acme/threats//0a1b.json',
    'dead-letter/acme/threats/oversize/0a1b.json/more',
    'dead-letter/acme/threats/oversize/letter.json',
    'events/acme/threats/oversize/0a1b.json',
  ])('no key is %s', key => {
    expect(parseDeadLetterKey(key, 'acme')).toBeUndefined();
  });

  test('the body holds the row to the last digit, as it is read', () => {
    const body = deadLetterBody(LETTER, 'acme');
    expect(body).toBe(`{"reason":"oversize","stream":"threats","connector":"acme","row":${LETTER.text}}\n`);
    expect(readDeadLetter(body)).toEqual({ stream: 'threats', reason: 'oversize', text: LETTER.text });
  });

  test('the place is the one that the stack lets the function write to', () => {
    expect(deadLettersPrefix('acme')).toBe(`${PREFIXES.deadLetters}acme/`);
  });
});
