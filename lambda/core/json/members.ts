/** Leaves members out of a row as text: no value is made of the others, so no digit is lost. */
import * as ascii from './ascii.ts';
import { Scanner } from './scanner.ts';

/**
 * The object without the members at these paths; every other value as it is written. A path ends where a value is no object.
 *
 * @param text one JSON object, its grammar checked already
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
 * The members of an object in their order, those of one name each: the name, the same as it is written, with its quotes, and the value as it
 * is written.
 *
 * @param text one JSON object, its grammar checked already
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
