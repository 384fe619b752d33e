import { expect, test } from '@jest/globals';
import { createProgress } from '../../../bin/ctl/report.ts';

test.each([true, false])(
  'control characters in the text of a progress line are shown as escapes (terminal: %s)',
  isTTY => {
    const written: string[] = [];
    const output = { isTTY, columns: 80, write: (text: string) => written.push(text) };
    using progress = createProgress({ title: 'Reading', total: 2, silent: false, output: output as never });
    progress.advance(20_000, 'row \u001b[31mred\u202e');
    expect(written.at(-1)).toContain('row \\u001b[31mred\\u202e');
  },
);
