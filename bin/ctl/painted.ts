/**
 * Texts with colours. Only `colouredTerminalText` turns colours into escape sequences, after it has
 * escaped the control characters of each part.
 */
import { styleText } from 'node:util';
import { terminalText } from '../terminal/terminal-text.ts';

const COLOURS = { good: 'green', bad: 'red', unconfirmed: 'yellow', faint: 'dim' } as const;

type Colour = keyof typeof COLOURS;

interface Part {
  readonly text: string;
  readonly colour?: Colour;
}

export class PaintedText {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  /**
   * The text without its colours. A plain template literal calls this method, so it prints no
   * colours either.
   */
  toString(): string {
    return this.parts.map(({ text }) => text).join('');
  }
}

export type ReportText = string | PaintedText;

const painter = (colour: Colour) => (text: string) => new PaintedText([{ text, colour }]);

export const paint = {
  good: painter('good'),
  bad: painter('bad'),
  unconfirmed: painter('unconfirmed'),
  faint: painter('faint'),
} as const;

/**
 * A template literal that keeps the colours of its values:
 *
 *     painted`${paint.bad('Differs')}: ${3} ids`
 */
export function painted(strings: TemplateStringsArray, ...values: readonly (ReportText | number)[]): PaintedText {
  return new PaintedText(strings.flatMap((text, at) => [{ text }, ...partsOf(values[at] ?? '')]));
}

/** Works as `join` of an array does, but keeps the colours of the texts. */
export function joinTexts(texts: readonly ReportText[], separator = '\n'): PaintedText {
  return new PaintedText(
    texts.flatMap((text, at) => (at === 0 ? partsOf(text) : [{ text: separator }, ...partsOf(text)])),
  );
}

function partsOf(text: ReportText | number): readonly Part[] {
  return text instanceof PaintedText ? text.parts : [{ text: String(text) }];
}

/**
 * Formats a text for a terminal. Control characters of every part are shown as escapes, so that
 * text from outside cannot set a colour.
 */
export function colouredTerminalText(text: ReportText, coloured: boolean): string {
  const shown = partsOf(text).map(part => {
    const safe = terminalText(part.text);
    return coloured && part.colour ? styleText(COLOURS[part.colour], safe, { validateStream: false }) : safe;
  });
  return shown.join('');
}
