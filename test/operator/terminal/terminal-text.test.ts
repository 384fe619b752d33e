import { expect, test } from '@jest/globals';
import { terminalLine, terminalText } from '../../../bin/terminal/terminal-text.ts';

const ESCAPES = '\u001b[2J\u009b31m\u0007\r\u007f\u202eabc\u2028';
const SHOWN = '\\u001b[2J\\u009b31m\\u0007\\u000d\\u007f\\u202eabc\\u2028';

test('control characters are shown as escapes, except line breaks and tabs', () => {
  expect(terminalText(`one\n\ttwo ${ESCAPES}`)).toBe(`one\n\ttwo ${SHOWN}`);
});

test('line breaks and tabs within a single line are shown as escapes', () => {
  expect(terminalLine(`one\n\ttwo ${ESCAPES}`)).toBe(`one\\u000a\\u0009two ${SHOWN}`);
});

test('Unicode text without control characters stays unchanged', () => {
  const text = 'Zürich, 東京, 🛰, e\u0301, \u00a0';
  expect(terminalText(text)).toBe(text);
});

test('JSON with escaped control characters still parses to the same values', () => {
  const value = { [ESCAPES]: `a\n${ESCAPES}\u{e0001}` };
  const shown = terminalText(JSON.stringify(value, null, 2));
  expect(shown).not.toMatch(/[^\n\P{Cc}]/u);
  expect(JSON.parse(shown)).toEqual(value);
});
