import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let folder: string | undefined;

/** Where the operator's processes find the program compiled, which halves what each of them costs. */
export function compileCache(): string {
  folder ??= mkdtempSync(path.join(tmpdir(), 'connectorctl-'));
  return folder;
}

export function removeCompileCache(): void {
  if (folder) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}
