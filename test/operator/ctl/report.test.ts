import { expect, test } from '@jest/globals';
import { paint, painted } from '../../../bin/ctl/painted.ts';
import { createProgress, createReporter } from '../../../bin/ctl/report.ts';

test.each([true, false])(
  'control characters in the text of a progress line are shown as escapes (terminal: %s)',
  isTTY => {
    const written: string[] = [];
    const output = { isTTY, columns: 80, write: (text: string) => written.push(text) };
    using progress = createProgress('row \u001b[31mred\u202e', output as never);
    progress.advance('row \u001b[31mred\u202e');
    expect(written.at(-1)).toContain('row \\u001b[31mred\\u202e');
  },
);

test.each<[string, string]>([
  ['1', '\u001b[32mown\u001b[39m, foreign: \\u001b[32mgreen\\u001b[39m\\u009b31m\\u202e\n'],
  ['0', 'own, foreign: \\u001b[32mgreen\\u001b[39m\\u009b31m\\u202e\n'],
])('colours in text from other sources are shown as escapes (FORCE_COLOR=%s)', (FORCE_COLOR, shown) => {
  const written: string[] = [];
  const shell = { environment: { FORCE_COLOR }, stdout: { write: (text: string) => written.push(text) } };
  const foreign = '\u001b[32mgreen\u001b[39m\u009b31m\u202e';
  createReporter(shell as never, false).print({ text: painted`${paint.good('own')}, foreign: ${foreign}`, json: {} });
  expect(written.join('')).toBe(shown);
});

test('control characters in a painted text are shown as escapes within its colour', () => {
  const written: string[] = [];
  const shell = { environment: { FORCE_COLOR: '1' }, stdout: { write: (text: string) => written.push(text) } };
  createReporter(shell as never, false).print({ text: paint.bad('x\u001b[32my'), json: {} });
  expect(written.join('')).toBe('\u001b[31mx\\u001b[32my\u001b[39m\n');
});

test('a painted text that is inserted into a plain text loses only its colour', () => {
  expect(`${painted`${paint.bad('Differs')}: ${3} ids`}.`).toBe('Differs: 3 ids.');
});
