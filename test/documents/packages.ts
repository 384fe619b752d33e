/** The reason for each package of package.json. A name that ends in `*` stands for a family. */
export const PACKAGES: Readonly<Record<string, string>> = {
  // In the bundle of the function.
  '@aws-sdk/client-*': 'The protocols of AWS.',
  '@aws-lambda-powertools/*': 'Log lines, metrics (EMF) and JMESPath.',
  '@aws-sdk/core': 'Protocols of the SDK, with which batches of items and records are written for a tenth less CPU.',
  oauth4webapi: 'A certified OAuth client without dependencies.',
  valibot: 'Checks settings, commands, secret and configuration. It is smaller than zod.',

  // Around it.
  'aws-cdk-lib': 'The stack.',
  constructs: 'The stack.',
  'aws-cdk': 'The command line of the CDK. It stays at 2.x, because 3.0.0 cannot synthesize this app.',
  'cdk-nag': "AWS's rules at every synth.",
  esbuild: 'Bundles without Docker, and compiles the package.',
  node: "Node 24, Lambda's version, for every script.",
  typescript: "Checks types, and writes the package's declarations.",
  '@biomejs/biome': 'Format, lint, and the rules of the layers.',
  jest: 'A test runner for TypeScript without a transform.',
  '@jest/globals': 'The types of jest.',
  'jest-light-runner':
    'Runs test files in bare Node, because a realm for each file took half of the CPU. 0.7.9 is the last version that installs on Node 20 without a warning.',
  'fast-check': 'Random histories, with seeds and shrinking.',
  ajv: 'Holds events and configurations against JSON Schema.',
  'ajv-formats': 'The formats of JSON Schema, such as date-time.',
  '@valibot/to-json-schema': "Makes the editor's schema from the schema that checks the configuration.",
  commander: 'Command lines and their help.',
  '@duckdb/node-api': 'SQL over delivered files. Pinned, because the lockfile of other versions lacks platforms.',
  'puppeteer-core': "The demo's page in a browser.",
  'axe-core': "The accessibility of the demo's page.",
  '@types/*': 'Types of Node and Lambda.',
};
