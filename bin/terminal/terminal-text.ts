/**
 * Characters that text from outside (the API, AWS, delivered rows) could use to control a terminal.
 * Control characters (ESC, C1, carriage return …) move the cursor, and format characters reverse
 * lines, so each is shown as its escape: `\u001b[31m`.
 */
const COMMANDING = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Escapes the control characters of a text of several lines, but keeps line breaks and tabs.
 * Escaped JSON parses to the same values.
 */
export function terminalText(text: string): string {
  return text.replace(COMMANDING, each => (each === '\n' || each === '\t' ? each : escaped(each)));
}

/** Escapes the control characters of a single line, line breaks and tabs included. */
export function terminalLine(text: string): string {
  return text.replace(COMMANDING, escaped);
}

/** Escapes each UTF-16 unit, as JSON does. */
function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
