import manifest from '../package.json' with { type: 'json' };

/** Version of this package. Each stack has it as an output, which connectorctl compares with its own. */
export const VERSION: string = manifest.version;
