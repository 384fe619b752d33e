import { styleText } from 'node:util';
import { terminalText } from '../../../local/terminal/terminal-text.ts';

/** Colours for a terminal alone; Node honours NO_COLOR and FORCE_COLOR. */
export const paint = {
  good: (text: string) => styleText('green', text, { stream: process.stdout }),
  bad: (text: string) => styleText('red', text, { stream: process.stdout }),
  unconfirmed: (text: string) => styleText('yellow', text, { stream: process.stdout }),
  faint: (text: string) => styleText('dim', text, { stream: process.stdout }),
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what `paint` writes begins with it
const COLOUR = /(\u001b\[(?:2|22|31|32|33|39)m)/;

/**
 * A report as the terminal may have it: only the colours above pass, and only where they are written. They move nothing
 * and hide nothing, whoever wrote them.
 */
export function terminalReport(text: string): string {
  const coloured = paint.good('') !== '';
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 && coloured ? part : terminalText(part)))
    .join('');
}
