/**
 * Imported first by every entry of the package, so that a Node or an aws-cdk-lib that does not fit is one sentence, and not an error from
 * deep inside of what it cannot load.
 */
import { createRequire } from 'node:module';
import manifest from '../package.json' with { type: 'json' };

/** The version of a package that the app has, as `1.2.3`. Undefined if it has none. */
type InstalledVersion = (name: string) => string | undefined;

/** What hinders, in one sentence. */
export function nodeFault(running: string): string | undefined {
  const needed = manifest.engines.node.replace('>=', '');
  if (isAtLeast(running, needed)) return undefined;
  return `${manifest.name} needs Node ${needed} or later, and Node ${running} runs it.`;
}

/** What hinders, in one sentence for each package that does not fit. */
export function peerFaults(installed: InstalledVersion): string[] {
  return Object.entries(manifest.peerDependencies).flatMap(([name, range]) => {
    const lowest = range.replace('^', '');
    const [major = ''] = lowest.split('.');
    const need = `${manifest.name} needs ${name} ${lowest} or a later ${major}.x`;
    const remedy = `run "npm install ${name}@${range}" in the folder of your app.`;
    const version = installed(name);
    if (version === undefined) return [`${need}, and it is not installed: ${remedy}`];
    const fits = version.split('.')[0] === major && isAtLeast(version, lowest);
    return fits ? [] : [`${need}, and ${version} is installed: ${remedy}`];
  });
}

/** @throws Error */
export function assertNode(): void {
  refuse(nodeFault(process.versions.node));
}

/** @throws Error */
export function assertPeers(): void {
  refuse(peerFaults(installedVersion)[0]);
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}

function installedVersion(name: string): string | undefined {
  try {
    return createRequire(import.meta.filename)(`${name}/package.json`).version;
  } catch {
    return undefined;
  }
}

function isAtLeast(version: string, lowest: string): boolean {
  const [own, needed] = [version, lowest].map(each => each.split(/[.-]/).map(Number));
  for (const [index, part] of needed!.entries()) {
    const mine = own![index] ?? 0;
    if (mine !== part) return mine > part;
  }
  return true;
}
