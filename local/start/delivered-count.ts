import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { deliveredObjects } from '../aws/delivered.ts';
import { deliveredStream } from '../aws/delivered-stream.ts';

const decompress = promisify(gunzip);

/** Counts the events that this run has delivered, by stream, from the files as they appear. */
export class DeliveredCount {
  readonly #folder: string;
  readonly #counted: Set<string>;
  readonly #events = new Map<string, number>();
  #objects = 0;

  readonly #onLine: ((line: string) => void) | undefined;

  private constructor(folder: string, before: readonly string[], onLine?: (line: string) => void) {
    this.#folder = folder;
    this.#onLine = onLine;
    this.#counted = new Set(before);
  }

  /**
   * What is in the folder already belongs to earlier runs.
   *
   * @param onLine called with each line of this run
   */
  static async from(folder: string, onLine?: (line: string) => void): Promise<DeliveredCount> {
    return new DeliveredCount(folder, await deliveredObjects(folder), onLine);
  }

  /** Files delivered by this run. */
  get objects(): number {
    return this.#objects;
  }

  of(stream: string): number {
    return this.#events.get(stream) ?? 0;
  }

  async update(): Promise<void> {
    for (const file of await deliveredObjects(this.#folder)) {
      if (this.#counted.has(file)) continue;
      this.#counted.add(file);
      await this.#count(file);
    }
  }

  async #count(file: string): Promise<void> {
    const lines = (await decompress(await readFile(file))).toString().split('\n');
    for (const [index, line] of lines.slice(0, -1).entries()) {
      const stream = deliveredStream(line, `${file}:${index + 1}`);
      this.#events.set(stream, this.of(stream) + 1);
      this.#onLine?.(line);
    }
    this.#objects += 1;
  }
}
