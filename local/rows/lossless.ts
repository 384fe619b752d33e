import { type JsonNode, readJson } from './json-text.ts';

/**
 * Brings a row's content, without `stream_position`, into one form: numbers by their digits,
 * members by name, without white space. The connector's own cutter is not used, because this
 * function checks the result of the cutter.
 */
export function canonicalContent(rowText: string): string {
  return canonicalContentOf(readJson(rowText));
}

export function canonicalContentOf(row: JsonNode): string {
  return written(row, 'stream_position');
}

function written(node: JsonNode, omitted?: string): string {
  if (typeof node === 'string') return node.startsWith('"') ? JSON.stringify(JSON.parse(node)) : node;
  if ('array' in node) return `[${node.array.map(each => written(each)).join()}]`;
  // If several members have the same name, the last of them counts.
  const members = [...new Map(node.object.map(({ key, value }) => [key, value]))];
  const texts = members
    .filter(([name]) => name !== omitted)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`);
  return `{${texts.join()}}`;
}
