/** Leaves members out of a row's text. The other values are not parsed, so no digit is lost. */
import * as ascii from './ascii.ts';
import { Scanner } from './scanner.ts';

/**
 * Returns the object without the members at the given paths, and with every other value as it is
 * written. A path that leads through a value that is not an object has no effect.
 *
 * @param text one JSON object whose grammar was already checked
 */
export function withoutMembers(text: string, paths: readonly (readonly string[])[]): string {
  const kept: string[] = [];
  let changed = false;
  for (const { name, written, value } of membersOf(text)) {
    const here = paths.filter(([first]) => first === name);
    if (here.some(path => path.length === 1)) {
      changed = true;
      continue;
    }

    const below = here.map(path => path.slice(1));
    const reduced = below.length > 0 && value.startsWith('{') ? withoutMembers(value, below) : value;
    changed ||= reduced !== value;
    kept.push(`${written}:${reduced}`);
  }
  return changed ? `{${kept.join(',')}}` : text;
}

/**
 * Lists the members of an object in their order, including members with the same name. `written` is
 * the name as it stands in the text, with its quotes, and `value` is the text of the value.
 *
 * @param text one JSON object whose grammar was already checked
 */
export function membersOf(text: string) {
  const scanner = new Scanner(text);
  const members: { readonly name: string; readonly written: string; readonly value: string }[] = [];
  for (let more = scanner.enter(ascii.CLOSE_BRACE); more; more = scanner.more(ascii.CLOSE_BRACE)) {
    const written = text.slice(scanner.at, scanner.name());
    const value = text.slice(scanner.at, scanner.skip());
    members.push({ name: JSON.parse(written), written, value });
  }
  return members;
}
