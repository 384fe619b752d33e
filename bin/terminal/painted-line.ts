import { styleText } from 'node:util';

export type Colour = 'green' | 'cyan' | 'yellow' | 'dim';

/** A part of a line, in a colour where the terminal has colours. */
export type Part = string | readonly [text: string, colour: Colour];

/** A line of at most that many columns: it is cut before it is coloured, because colours take no columns. */
export function paintedLine(parts: readonly Part[], columns: number, hasColours: boolean): string {
  let left = columns;
  return parts
    .map(part => {
      const [whole, colour] = typeof part === 'string' ? [part] : part;
      const text = whole.slice(0, left);
      left -= text.length;
      return colour && hasColours && text !== '' ? styleText(colour, text, { validateStream: false }) : text;
    })
    .join('');
}
