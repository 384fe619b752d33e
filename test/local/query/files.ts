import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A folder of delivered files, gone afterwards. */
export class DeliveredFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<DeliveredFolder> {
    return new DeliveredFolder(await mkdtemp(join(tmpdir(), 'query-')));
  }

  async file(name: string, ...lines: string[]): Promise<void> {
    await this.bytes(name, gzipSync(lines.map(line => `${line}\n`).join('')));
  }

  async bytes(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}
