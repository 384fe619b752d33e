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
export type ToolName = 'java' | 'javac' | 'mvn' | 'python3';

export const PART_NAMES = Object.keys(PARTS) as PartName[];

/** What the parts need of a machine: how a tool says its version, and the least major and minor that will do. */
export const TOOLS: Readonly<Record<ToolName, { readonly ask: string; readonly least: readonly [number, number] }>> = {
  java: { ask: '-version', least: [17, 0] },
  // Trino's starter is a source file: a Java without its compiler does not run that.
  javac: { ask: '-version', least: [17, 0] },
  mvn: { ask: '-version', least: [3, 6] },
  python3: { ask: '--version', least: [3, 9] },
};
