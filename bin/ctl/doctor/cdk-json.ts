/** The `cdk.json` that is meant: that of this folder, or the nearest above it. */
import { access } from 'node:fs/promises';
import path from 'node:path';

/** @returns its path from here; nothing where neither this folder nor one above it has one */
export async function findCdkJson(folder = process.cwd()): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, 'cdk.json');
    if (await exists(file)) return path.relative(folder, file);
    if (path.dirname(at) === at) return undefined;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
