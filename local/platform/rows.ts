import type { DnsBlock } from './dns-blocks.ts';
import { type JsonNode, readJson, writeJson } from './json-text.ts';
import { ProblemError } from './problem.ts';
import { ENVELOPE } from './settings.ts';
import { positionText, type Version } from './versioned-stream.ts';

/** Lists show the position and single reads show null. `none` omits the member, to compare contents. */
export type PositionShown = 'position' | 'null' | 'none';

/** Writes rows as JSON text on one line. */
export interface RowWriter {
  asset(version: Version, shown: PositionShown): string;
  threat(version: Version, shown: PositionShown): string;
  dnsBlock(block: DnsBlock): string;
}

/** Returns the other members of the generated row with that index, joined by commas. */
export type Generated = (stream: 'assets' | 'threats' | 'dns-blocks', index: number) => string;

export function createRowWriter(threatAssetMember: string, generated: Generated): RowWriter {
  const assetMember = JSON.stringify(threatAssetMember);
  return {
    asset(version, shown) {
      const head = versionHead(version, shown);
      if (version.deletedAt) return `{${head},"deleted":true,"deleted_at":"${timeText(version.deletedAt)}"}`;
      const { members } = version;
      return close(`${head},"deleted":false`, typeof members === 'number' ? generated('assets', members) : members);
    },
    threat(version, shown) {
      const head = `${versionHead(version, shown)},${assetMember}:${JSON.stringify(version.assetId)}`;
      const { members } = version;
      return close(head, typeof members === 'number' ? generated('threats', members) : members);
    },
    dnsBlock({ id, blockedAt, blockedAtText, members }) {
      const head = `"id":${JSON.stringify(id)},"blocked_at":${JSON.stringify(blockedAtText ?? timeText(blockedAt))}`;
      return close(head, typeof members === 'number' ? generated('dns-blocks', members) : members);
    },
  };
}

function versionHead(version: Version, shown: PositionShown): string {
  const { id, updatedAt, position } = version;
  const time = typeof updatedAt === 'number' ? `"${timeText(updatedAt)}"` : JSON.stringify(updatedAt);
  const head = `"id":${JSON.stringify(id)},"updated_at":${time}`;
  if (shown === 'none') return head;
  return `${head},"stream_position":${shown === 'null' ? 'null' : `"${positionText(position)}"`}`;
}

function close(head: string, members: string): string {
  return members === '' ? `{${head}}` : `{${head},${members}}`;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A row from outside: an object, or its JSON text where digits and member names must not change. */
export type RowInput = string | Readonly<Record<string, unknown>>;

/** A row from outside: members that the platform manages, and the others as written. */
export interface ControlRow {
  readonly id: string;
  /** The given strings among `updated_at`, `blocked_at` and the member that names the asset. */
  readonly given: ReadonlyMap<string, string>;
  /** All other members as text, joined by commas. */
  readonly members: string;
}

/** Reads a row. Besides `id`, the caller may set the `settable` members. Throws `request/malformed`. */
export function cutControlRow(row: RowInput, settable: readonly string[]): ControlRow {
  const given = new Map<string, string>();
  const members: string[] = [];
  for (const { key, name, value } of objectMembers(row)) {
    if (key === 'id' || settable.includes(key)) given.set(key, stringValue(key, value));
    else if (ENVELOPE.has(key)) throw new ProblemError('request/malformed', `"${key}" is set by the platform.`);
    else members.push(`${name}:${writeJson(value)}`);
  }
  const id = given.get('id');
  if (!id) throw new ProblemError('request/malformed', 'A row needs an "id", a string that is not empty.');
  return { id, given, members: members.join(',') };
}

function objectMembers(row: RowInput) {
  let node: JsonNode;
  try {
    node = readJson(typeof row === 'string' ? row : JSON.stringify(row));
  } catch {
    throw new ProblemError('request/malformed', 'The row is not JSON.');
  }
  if (typeof node === 'string' || !('object' in node)) {
    throw new ProblemError('request/malformed', 'The row is not a JSON object.');
  }
  return node.object;
}

function stringValue(key: string, node: JsonNode): string {
  if (typeof node === 'string' && node.startsWith('"')) return JSON.parse(node) as string;
  throw new ProblemError('request/malformed', `"${key}" must be a string.`);
}
