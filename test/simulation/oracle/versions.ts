/** The order in which the platform made the versions of each row, which no reader of positions could be sure of. */
import type { Platform } from '../../../local/platform/platform.ts';
import { content } from '../../../local/siem/lossless.ts';
import { keyOf } from '../../support/siem.ts';

interface Version {
  readonly command: number;
  readonly content: string;
  readonly position: string | null;
  /** Asset of a threat. */
  readonly parent: string | undefined;
}

/** Before every version. */
export const NEVER = -1;

/** Between a version and the next. */
const AFTER = 0.5;

export class Versions {
  readonly #platform: Platform;
  readonly #made = new Map<string, Version[]>();
  #count = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Called after each change. */
  note(): void {
    const { assets, threats } = this.#platform.truth();
    for (const [stream, rows] of Object.entries({ assets, threats })) {
      for (const [id, row] of rows) this.#note(keyOf(stream, id), row);
    }
  }

  #note(key: string, row: string): void {
    const { stream_position: position, asset_id: parent } = JSON.parse(row);
    const made = this.#made.get(key) ?? [];
    this.#made.set(key, made);
    const version = { command: this.#count, content: content(row), position, parent };
    const last = made.at(-1);
    if (last?.position === position && last?.content === version.content) return;
    this.#count++;
    made.push(version);
  }

  /** When the platform last said this of the row. */
  lastOrder(key: string, content: string | undefined): number {
    return this.#made.get(key)?.findLast(version => version.content === content)?.command ?? NEVER;
  }

  /** When the threat disappeared with this asset, whose tombstone had this position: after its last version under it. */
  gone(key: string, asset: string, position: string | null): number {
    const removed = this.orderAt(keyOf('assets', asset), position);
    const last = this.#made.get(key)?.findLast(({ command, parent }) => parent === asset && command < removed);
    return last ? last.command + AFTER : NEVER;
  }

  /** When the platform said this of the row at this position. */
  orderAt(key: string, position: string | null, content?: string): number {
    const isIt = (version: Version) =>
      version.position === position && (content === undefined || version.content === content);
    return this.#made.get(key)?.findLast(isIt)?.command ?? NEVER;
  }
}
