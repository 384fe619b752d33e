import { membersOf } from '../../lambda/core/json/members.ts';

/** @returns undefined for a text that is not a JSON object */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sets members of a JSON object within its text. Every other value stays as it is written, because
 * a parsed and printed number loses digits.
 *
 *     withMembers('{"a": 1.0, "b": 2}', { b: 'x', c: 'y' })  →  '{"a":1.0,"b":"x","c":"y"}'
 *
 * @param object text of a JSON object
 */
export function withMembers(object: string, values: Readonly<Record<string, string>>): string {
  const kept = membersOf(object.trim()).filter(({ name }) => !Object.hasOwn(values, name));
  const set = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${[...kept.map(({ written, value }) => `${written}:${value}`), ...set].join(',')}}`;
}
