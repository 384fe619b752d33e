import manifest from '../package.json' with { type: 'json' };

/**
 * Version of this package. Each stack has an output with the version that deployed it, which
 * connectorctl compares with its own version.
 */
export const VERSION: string = manifest.version;

interface Published {
  readonly version: string;
  /**
   * Address of the repository, which the release workflow sets, for example
   * `git+https://github.com/owner/name.git`.
   */
  readonly repository?: { readonly url: string };
}

/**
 * Returns the address of the files of a version. It is empty in a clone, because a clone does not
 * know its own address.
 */
export function filesAddressOf({ version, repository }: Published): string {
  return repository ? `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}/` : '';
}

export function runbookAddressOf(published: Published): string {
  return `${filesAddressOf(published)}docs/runbook.md`;
}

/** Address of the runbook. In a clone it is a path. */
export const RUNBOOK_ADDRESS = runbookAddressOf(manifest);
