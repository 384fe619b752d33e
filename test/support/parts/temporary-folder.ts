import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** A temporary folder, deleted on dispose or when the process exits. */
export async function temporaryFolder(prefix: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  const clear = (): void => rmSync(path, { recursive: true, force: true });
  process.once('exit', clear);
  return {
    path,
    async [Symbol.asyncDispose]() {
      process.off('exit', clear);
      await rm(path, { recursive: true, force: true });
    },
  };
}
