/** Lists the licences of the packages whose code is in the bundles. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Licence as an SPDX expression. */
  readonly licence: string;
  /** Texts of its licence and notice files. */
  readonly texts: readonly string[];
}

/**
 * Returns the packages whose code is in the bundles, by name.
 *
 * @throws Error for a package without a licence
 */
export function bundledPackages(metafiles: readonly Metafile[], root: string): BundledPackage[] {
  const files = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
  const folders = new Set(files.flatMap(file => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const packages = [...folders].map(folder => packageIn(path.join(root, folder)));
  return packages.sort((first, second) => (first.name < second.name ? -1 : 1));
}

function packageIn(folder: string): BundledPackage {
  const { name, version, license: licence } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const files = globSync('{LICENSE,LICENCE,NOTICE,COPYING}*', { cwd: folder }).sort();
  if (!licence) throw new Error(`${name} ${version} is in a bundle and names no licence`);
  return { name, version, licence, texts: files.map(file => readFileSync(path.join(folder, file), 'utf8').trim()) };
}

/** Writes each text once, below the packages that have it. */
export function noticesText(metafiles: readonly Metafile[], root: string): string {
  const packages = bundledPackages(metafiles, root);
  const byText = new Map<string, BundledPackage[]>();
  for (const bundled of packages) {
    const text = bundled.texts.join('\n\n') || `Licence: ${bundled.licence}. The package has no text of it.`;
    byText.set(text, [...(byText.get(text) ?? []), bundled]);
  }
  const parts = [...byText].map(([text, owners]) => {
    const names = owners.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
    return `${names.join('\n')}\n\n${text}\n`;
  });
  return ['The files function/index.mjs and packaging/*.js contain code of these packages.\n', ...parts].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}
