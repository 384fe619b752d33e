/** Tools that `npm run test:package` fetches. Only this table names their versions. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FETCH_SECONDS } from '../../support/parts/cache.ts';
import { command } from '../../support/parts/command.ts';
import { npmInstall, npmPart } from '../fetch.ts';
import type { Part, Suites } from '../launcher.ts';

export const PARTS = {
  // The Nodes that `engines` allows, the newest of each major version.
  node20: nodePart('20.20.2'),
  node22: nodePart('22.23.3'),
  node24: nodePart('24.21.0'),
  publint: npmPart('publint', '0.3.25'),
  attw: npmPart('@arethetypeswrong/cli', '0.18.5'),
  actionlint: goPart('github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12'),
  // Parses the language of Terraform.
  hclfmt: goPart('github.com/hashicorp/hcl/v2/cmd/hclfmt', 'v2.25.0'),
} as const satisfies Record<string, Part>;

export type NodeName = Extract<keyof typeof PARTS, `node${string}`>;
export const NODES = Object.keys(PARTS).filter((name): name is NodeName => name.startsWith('node'));

export function suitesOn(nodes: readonly NodeName[]): Suites<keyof typeof PARTS> {
  return {
    'outside/package/app.package.ts': nodes,
    'outside/package/file.package.ts': ['publint', 'attw'],
    'outside/package/examples.package.ts': ['actionlint', 'hclfmt'],
  };
}

/** The folder of the `node` in the part's folder. */
export function nodeIn(folder: string): string {
  return join(folder, 'node_modules', 'node', 'bin');
}

function nodePart(version: string) {
  const fetch = async (folder: string) => {
    // The package `node` comes by install scripts, its own and that of its binary.
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
    await npmInstall(folder, [`node@${version}`]);
    const installed = await command(join(nodeIn(folder), 'node'), ['--version'], FETCH_SECONDS);
    if (installed !== `v${version}`) throw new Error(`The package node@${version} has Node ${installed}`);
  };
  return { name: 'Node', version, tools: [], fetch } as const;
}

function goPart(module: string, version: string) {
  const fetch = async (folder: string) => {
    const environment = { ...process.env, GOBIN: folder };
    await command('go', ['install', `${module}@${version}`], FETCH_SECONDS, { environment });
  };
  return { name: module, version, tools: ['go'], fetch } as const;
}
