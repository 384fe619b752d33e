import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import {
  DEAD_LETTER_REASONS,
  deadLetterBody,
  deadLetterKey,
  deadLettersPrefix,
  parseDeadLetterKey,
} from '../../lambda/core/dead-letter.ts';
import type { DeadLetter } from '../../lambda/ports.ts';
import { PREFIXES } from '../../lib/prefixes.ts';

const ROW = '{"id":"t","reason":"no-id","row":{"n":1.0,"row":"}"}}';

const DEAD_LETTER: DeadLetter = {
  stream: 'threats',
  reason: 'oversize',
  rowHash: '0a1b',
  // A row may have members with the names that a dead letter has.
  row: ROW,
};

describe('a dead letter', () => {
  test('the key of a dead letter names its connector, stream and reason, and can be parsed', () => {
    const key = deadLetterKey(DEAD_LETTER, 'acme');
    expect(key).toBe('dead-letter/acme/threats/oversize/0a1b.json');
    expect(parseDeadLetterKey(key, 'acme')).toEqual({ stream: 'threats', reason: 'oversize' });
    expect([deadLettersPrefix('acme'), deadLettersPrefix('acme', 'threats')].map(each => key.startsWith(each))).toEqual(
      [true, true],
    );
  });

  test.each([
    'dead-letter/other/threats/oversize/0a1b.json',
    'dead-letter/acme/unknown/oversize/0a1b.json',
    'dead-letter/acme/threats//0a1b.json',
    'dead-letter/acme/threats/oversize/0a1b.json/more',
    'dead-letter/acme/threats/oversize/row.json',
    'events/acme/threats/oversize/0a1b.json',
  ])('the key %s is not a dead letter of this connector', key => {
    expect(parseDeadLetterKey(key, 'acme')).toBeUndefined();
  });

  test('a row that is not UTF-8 is stored byte for byte', () => {
    const row = Buffer.from('{"id":"a","n":"\xff"}', 'latin1');
    const body = Buffer.from(deadLetterBody({ ...DEAD_LETTER, reason: 'not-utf-8', row }, 'acme'));
    expect(body.includes(row)).toBe(true);
  });

  test.each([{ bytes: 12 }, { bytes: 12, id: 'a","row":{}}\n' }])(
    'a dead letter can hold a summary instead of the row: %j',
    row => {
      const body = Buffer.from(deadLetterBody({ ...DEAD_LETTER, reason: 'too-deep', row }, 'acme'));
      expect(JSON.parse(body.toString())).toEqual({
        reason: 'too-deep',
        stream: 'threats',
        connector: 'acme',
        row_hash: '0a1b',
        ...row,
      });
    },
  );

  test('the runbook explains every reason of a dead letter', async () => {
    const runbook = await readFile('docs/runbook.md', 'utf8');
    expect(DEAD_LETTER_REASONS.filter(reason => !runbook.includes(`\`${reason}\``))).toEqual([]);
  });

  test('the prefix of dead letters is the prefix that the stack lets the function write to', () => {
    expect(deadLettersPrefix('acme')).toBe(`${PREFIXES.deadLetters}acme/`);
  });
});
