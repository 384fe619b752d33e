import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';

/** A temporary folder of delivered files. */
export async function deliveredFolder() {
  const folder = await temporaryFolder('query-');

  const bytes = async (name: string, content: Uint8Array): Promise<void> => {
    const path = join(folder.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  };
  const file = (name: string, ...lines: string[]): Promise<void> =>
    bytes(name, gzipSync(lines.map(line => `${line}\n`).join('')));

  return { ...folder, bytes, file };
}
