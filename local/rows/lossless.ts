import { type JsonNode, readJson } from './json-text.ts';

/**
 * A row's content in one form, `stream_position` aside: numbers by their digits, members by name, without white space. It does not use the
 * connector's own cutter, so that one can check the other.
 */
export function content(rowText: string): string {
  return contentOf(readJson(rowText));
}

export function contentOf(row: JsonNode): string {
  return written(row, 'stream_position');
}

function written(node: JsonNode, omitted?: string): string {
  if (typeof node === 'string') return node.startsWith('"') ? JSON.stringify(JSON.parse(node)) : node;
  if ('array' in node) return `[${node.array.map(each => written(each)).join()}]`;
  // The last of several members of one name counts.
  const members = [...new Map(node.object.map(({ key, value }) => [key, value]))];
  const texts = members
    .filter(([name]) => name !== omitted)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`);
  return `{${texts.join()}}`;
}
