/** Fetches each part by the client of its registry. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FETCH_SECONDS, installPython } from '../../../support/parts/cache.ts';
import { command } from '../../../support/parts/command.ts';
import { MAVEN_DEPENDENCY_PLUGIN, PARTS, type PartName } from '../parts.ts';

export const FETCH: Readonly<Record<PartName, (folder: string) => Promise<void>>> = {
  async dynamodb(folder) {
    await copyArchives(join(folder, 'lib'), [{ artifact: `com.amazonaws:DynamoDBLocal:${PARTS.dynamodb.version}` }]);
  },
  async moto(folder) {
    await installPython(folder, `moto[server]==${PARTS.moto.version}`);
  },
  async keycloak(folder) {
    await unpack(folder, `org.keycloak:keycloak-quarkus-dist:${PARTS.keycloak.version}:zip`);
  },
  async trino(folder) {
    const { version } = PARTS.trino;
    await copyArchives(join(folder, 'lib'), [
      { artifact: `io.trino:trino-main:${version}` },
      { artifact: `io.trino:trino-memory:${version}` },
      // Only partitions and Hive's grammar are needed, not its reading of files.
      { artifact: `io.trino:trino-hive:${version}`, alone: true },
      { artifact: 'io.trino.coral:coral:2.2.14-1', alone: true },
    ]);
  },
};

/** @param artifact group, name, version and kind of an archive */
export async function unpack(folder: string, artifact: string): Promise<void> {
  await mvn(folder, 'unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`);
}

interface Archive {
  /** Group, name and version. */
  readonly artifact: string;
  /** Whether to leave out its own dependencies. */
  readonly alone?: boolean;
}

/** Archives, and what they need to run, into the folder. */
export async function copyArchives(folder: string, archives: readonly Archive[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pom = join(folder, 'pom.xml');
  await writeFile(pom, projectOf(archives));
  const to = `-DoutputDirectory=${folder}`;
  await mvn(folder, 'copy-dependencies', '-f', pom, '-DincludeScope=runtime', to);
}

/** In a separate folder, because Maven unpacks an archive only once for each working directory. */
async function mvn(folder: string, goal: string, ...args: string[]): Promise<void> {
  await command('mvn', ['--batch-mode', '--quiet', `${MAVEN_DEPENDENCY_PLUGIN}:${goal}`, ...args], FETCH_SECONDS, {
    folder,
  });
}

/** A project with only dependencies, which Maven resolves. */
function projectOf(archives: readonly Archive[]): string {
  const self = '<groupId>local</groupId><artifactId>part</artifactId><version>1</version>';
  const dependencies = archives.map(dependencyOf).join('');
  return `<project><modelVersion>4.0.0</modelVersion>${self}<dependencies>${dependencies}</dependencies></project>`;
}

function dependencyOf({ artifact, alone = false }: Archive): string {
  const [group, name, version] = artifact.split(':');
  const all = '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>';
  const place = `<groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>`;
  return `<dependency>${place}${alone ? all : ''}</dependency>`;
}
