/**
 * Prints the SBOM of a release: what npm installs with the package, and what is in the function's bundle. `npm sbom` alone does not know
 * that the development packages in the bundle are delivered.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { FUNCTION_BUNDLE } from './function-bundle.ts';
import { bundledPackages } from './third-party-notices.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DEVELOPMENT = 'cdx:npm:package:development';

interface Component {
  readonly 'bom-ref': string;
  readonly properties: readonly { readonly name: string }[];
}

interface Sbom {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { metafile } = await build({ ...FUNCTION_BUNDLE, write: false });
console.log(JSON.stringify(delivered(ofNpm(), new Set(bundledPackages(metafile, ROOT).map(refOf))), null, 2));

function refOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}

function ofNpm(): Sbom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only'];
  return JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

/** What `dependencies` lead to and what is in the bundle. An optional peer that only development has is neither. */
function delivered(sbom: Sbom, inBundle: ReadonlySet<string>): Sbom {
  const needs = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const development = new Set(refsOf(manifest.devDependencies));
  const kept = new Set<string>([refOf(manifest)]);
  const keep = (ref: string): void => {
    if (kept.has(ref) || (development.has(ref) && !inBundle.has(ref))) return;
    kept.add(ref);
    needs.get(ref)?.forEach(keep);
  };
  for (const ref of [...refsOf(manifest.dependencies), ...inBundle]) keep(ref);
  const components = sbom.components.filter(each => kept.has(each['bom-ref']));
  return {
    ...sbom,
    // npm takes the folder for the name.
    metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name: manifest.name } },
    components: components.map(each => ({
      ...each,
      properties: each.properties.filter(({ name }) => name !== DEVELOPMENT),
    })),
    dependencies: sbom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => kept.has(each)) })),
  };
}

function refsOf(dependencies: Readonly<Record<string, string>>): string[] {
  return Object.entries(dependencies).map(([name, version]) => refOf({ name, version }));
}
