import manifest from '../package.json' with { type: 'json' };

/** Version of this package. Each stack has it as an output, which connectorctl compares with its own. */
export const VERSION: string = manifest.version;

interface Published {
  readonly version: string;
  /** The release workflow sets it, such as `git+https://github.com/owner/name.git`. */
  readonly repository?: { readonly url: string };
}

/** Address of the files of a version, or nothing in a clone, which does not know its own address. */
export function repositoryOf({ version, repository }: Published): string {
  return repository ? `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}/` : '';
}

export function runbookOf(published: Published): string {
  return `${repositoryOf(published)}docs/runbook.md`;
}

/** Address of the runbook. A clone has a path. */
export const RUNBOOK = runbookOf(manifest);
