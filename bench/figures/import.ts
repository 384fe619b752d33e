/** What a cold start pays for our code, beyond what it pays for the SDK. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../bundle.ts';
import { inChild } from '../child.ts';
import type { Figure, Size } from '../figure.ts';
import { median } from '../statistics.ts';

const IMPORTS: Record<Size, number> = { full: 9, tiny: 1 };
const CHILDREN = path.join(import.meta.dirname, '..', 'children');
const HANDLER = path.join(import.meta.dirname, '..', '..', 'lambda', 'handler.ts');

export const bundleImport: Figure = {
  name: 'import',
  title: 'Import of the bundled function in a fresh process; floor: the SDK clients alone, bundled alike',
  async measure(size) {
    const directory = await mkdtemp(path.join(tmpdir(), 'bench-import-'));
    const [ours, theirs] = ['handler', 'sdk-clients'].map(name => path.join(directory, `${name}.mjs`)) as [
      string,
      string,
    ];
    try {
      await bundle(HANDLER, ours);
      await bundle(path.join(CHILDREN, 'sdk-clients.ts'), theirs);
      const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
      for (let i = 0; i < IMPORTS[size]; i++) {
        times.theirs.push(await importTime(theirs));
        times.ours.push(await importTime(ours));
      }
      return [{ subject: 'bundle', value: median(times.ours), floor: median(times.theirs), unit: 'ms', target: 1.25 }];
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};

function importTime(module: string): Promise<number> {
  return inChild<number>(path.join(CHILDREN, 'import-time.ts'), [module]);
}
