/**
 * Replaces the paths of pages in docs/ by their addresses in the texts of the package, because the
 * package does not contain these pages.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { filesAddressOf } from '../lib/version.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * Replaces the path of each page by its address:
 *
 *     See docs/filters.md.   →   See https://github.com/owner/name/blob/v1.2.3/docs/filters.md.
 *
 * @param repository address of the files of this version; empty in a clone, whose texts stay as
 * they are
 */
export function withDocumentAddresses(text: string, repository: string = filesAddressOf(manifest)): string {
  return repository === '' ? text : text.replace(/(?<=[\s('"`])docs\/(?=[\w/-]+\.md\b)/g, `${repository}docs/`);
}

export const documentAddressesPlugin: Plugin = {
  name: 'document-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:lib|bin[\\/]ctl)[\\/].*\.ts$/ }, ({ path: file }) => ({
      contents: withDocumentAddresses(readFileSync(file, 'utf8')),
      loader: 'ts',
    }));
  },
};
