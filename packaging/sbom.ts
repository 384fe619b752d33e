/**
 * Prints the SBOM of a release, which lists the packages in its bundles. `npm sbom` alone does not
 * know that these development packages are delivered.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { ENTRY_BUNDLES } from './entry-bundles.ts';
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

const built = await Promise.all([FUNCTION_BUNDLE, ...ENTRY_BUNDLES].map(bundle => build({ ...bundle, write: false })));
const packages = bundledPackages(
  built.map(({ metafile }) => metafile!),
  ROOT,
);
console.log(JSON.stringify(delivered(ofNpm(), new Set(packages.map(refOf))), null, 2));

function refOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}

function ofNpm(): Sbom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only'];
  return JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

/**
 * Keeps only the packages in the bundles. The bundler left out their other dependencies, and npm
 * does not install them.
 */
function delivered(sbom: Sbom, inBundle: ReadonlySet<string>): Sbom {
  const kept = new Set([refOf(manifest), ...inBundle]);
  const components = sbom.components.filter(component => kept.has(component['bom-ref']));
  return {
    ...sbom,
    // npm would use the name of the folder as the name of the package.
    metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name: manifest.name } },
    components: components.map(component => ({
      ...component,
      properties: component.properties.filter(({ name }) => name !== DEVELOPMENT),
    })),
    dependencies: sbom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(ref => kept.has(ref)) })),
  };
}
