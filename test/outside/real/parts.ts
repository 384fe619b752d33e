import type { ToolName } from '../../support/parts/tools.ts';

/** What the run fetches and starts. This table alone names versions. */
export const PARTS = {
  dynamodb: { name: 'DynamoDB Local', version: '2.6.1', tools: ['java', 'mvn'] },
  moto: { name: 'moto', version: '5.2.5', tools: ['python3'] },
  keycloak: { name: 'Keycloak', version: '26.7.3', tools: ['java', 'mvn'] },
  // The engine that Athena is made of. The last version that runs on Java 17.
  trino: { name: 'Trino', version: '435', tools: ['javac', 'mvn'] },
} as const satisfies Record<string, { name: string; version: string; tools: readonly ToolName[] }>;

/** The plugin with which Maven fetches. */
export const MAVEN_DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';

export type PartName = keyof typeof PARTS;

export const PART_NAMES = Object.keys(PARTS) as PartName[];
