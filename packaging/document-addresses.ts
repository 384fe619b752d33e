/** Texts of the package name pages of docs/ by their addresses, because its users have no such files. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { repositoryOf } from '../lib/version.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 *     See docs/filters.md.   →   See https://github.com/owner/name/blob/v1.2.3/docs/filters.md.
 *
 * @param repository address of the files of this version. A clone has none, and its texts stay as they are
 */
export function withAddresses(text: string, repository: string = repositoryOf(manifest)): string {
  return repository === '' ? text : text.replace(/(?<=[\s('"`])docs\/(?=[\w/-]+\.md\b)/g, `${repository}docs/`);
}

export const documentAddresses: Plugin = {
  name: 'document-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:lib|bin[\\/]ctl)[\\/].*\.ts$/ }, ({ path: file }) => ({
      contents: withAddresses(readFileSync(file, 'utf8')),
      loader: 'ts',
    }));
  },
};
