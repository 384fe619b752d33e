import { expect, test } from '@jest/globals';
import { createProgress } from '../../../bin/ctl/report.ts';

test.each([true, false])('the last line of a progress cannot command the terminal (terminal: %s)', isTTY => {
  const written: string[] = [];
  const output = { isTTY, columns: 80, write: (text: string) => written.push(text) };
  using progress = createProgress({ title: 'Reading', total: 2, silent: false, output: output as never });
  progress.stop('row \u001b[31mred\u202e');
  expect(written.join('')).toContain('row \\u001b[31mred\\u202e\n');
});
