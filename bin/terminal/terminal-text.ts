/**
 * Makes foreign text (the API, AWS, delivered rows) safe to show in a terminal. Control characters (ESC, C1, carriage return …)
 * control a terminal, and format characters reverse lines, so each is shown as its escape: `\u001b[31m`.
 */
const COMMANDING = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** For text of several lines: line breaks and tabs stay. JSON stays the same JSON. */
export function terminalText(text: string): string {
  return text.replace(COMMANDING, each => (each === '\n' || each === '\t' ? each : escaped(each)));
}

/** For one line: line breaks and tabs are shown as escapes as well. */
export function terminalLine(text: string): string {
  return text.replace(COMMANDING, escaped);
}

/** In UTF-16 units, as JSON escapes them. */
function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
