import manifest from '../package.json' with { type: 'json' };

/** Version of this package. Each stack has it as an output, which connectorctl compares with its own. */
export const VERSION: string = manifest.version;

/** Address of the runbook. A clone does not know its own address, so it has a path. */
export const RUNBOOK = runbookOf(manifest);

/** @param manifest whose repository the release workflow sets, such as `git+https://github.com/owner/name.git` */
export function runbookOf(manifest: { readonly version: string; readonly repository?: { readonly url: string } }) {
  const file = 'docs/runbook.md';
  if (!manifest.repository) return file;
  return `${manifest.repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${manifest.version}/${file}`;
}
