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
  const ranges = manifest.engines.node.split(' || ');
  if (ranges.some(range => fits(running, range))) return undefined;
  return `${manifest.name} needs Node ${ranges.map(rangeText).join(', or ')}, and Node ${running} runs it.`;
}

/** What hinders, in one sentence for each package that does not fit. */
export function peerFaults(installed: InstalledVersion): string[] {
  return Object.entries(manifest.peerDependencies).flatMap(([name, range]) => {
    const version = installed(name);
    if (version !== undefined && fits(version, range)) return [];
    const found = version === undefined ? 'it is not' : `${version} is`;
    const remedy = `run "npm install ${name}@${range}" in the folder of your app.`;
    return [`${manifest.name} needs ${name} ${rangeText(range)}, and ${found} installed: ${remedy}`];
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

/** `^2.3`: 2.3 or a later 2.x. `>=2.3`: 2.3 or later. Nothing else is used in package.json. */
function fits(version: string, range: string): boolean {
  const lowest = lowestOf(range);
  return (majorOf(version) === majorOf(lowest) || range.startsWith('>=')) && isAtLeast(version, lowest);
}

function rangeText(range: string): string {
  const lowest = lowestOf(range);
  return range.startsWith('>=') ? `${lowest} or later` : `${lowest} or a later ${majorOf(lowest)}.x`;
}

function lowestOf(range: string): string {
  return range.replace(/^(\^|>=)/, '');
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

function isAtLeast(version: string, lowest: string): boolean {
  const [own, needed] = [version, lowest].map(each => each.split(/[.-]/).map(Number));
  for (const [index, part] of needed!.entries()) {
    const mine = own![index] ?? 0;
    if (mine !== part) return mine > part;
  }
  return true;
}
