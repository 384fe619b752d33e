import type { DnsBlock } from './dns-blocks.ts';
import { positionText } from './position.ts';
import type { Version } from './versioned-stream.ts';

/** Where a row is shown: only lists carry a position, single reads null. `none` leaves the member out, to compare contents. */
export type PositionShown = 'position' | 'null' | 'none';

/** Writes rows as JSON text on one line. */
export interface RowWriter {
  asset(version: Version, shown: PositionShown): string;
  threat(version: Version, shown: PositionShown): string;
  dnsBlock(block: DnsBlock): string;
}

/** `generated` gives the other members of the generated row with that index, joined by commas. */
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
