import manifest from '../package.json' with { type: 'json' };

/** Version of this package: an output of each stack, so that the operator's command line knows what it talks to. */
export const VERSION: string = manifest.version;
