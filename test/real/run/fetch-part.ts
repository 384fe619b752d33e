/** Fetches a part into the cache by its own registry's client, once. */
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAVEN_DEPENDENCY_PLUGIN, PARTS, type PartName } from '../parts.ts';
import { command } from './command.ts';

/** A download may take this long. */
const SECONDS = 300;

export interface Fetched {
  readonly folder: string;
  readonly cached: boolean;
}

/** @throws CommandError */
export async function fetchPart(part: PartName, cache: string): Promise<Fetched> {
  return fetchOnce(join(cache, `${part}-${PARTS[part].version}`), FETCH[part]);
}

/** Fills a folder unless it is there. It appears whole or not at all. @throws CommandError */
export async function fetchOnce(folder: string, fetch: (staging: string) => Promise<void>): Promise<Fetched> {
  const cache = dirname(folder);
  if (await exists(folder)) return { folder, cached: true };
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, '.fetching-'));
  try {
    await fetch(staging);
    await rename(staging, folder).catch(async error => {
      // Another run was faster.
      if (!(await exists(folder))) throw error;
    });
    return { folder, cached: false };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const FETCH: Readonly<Record<PartName, (folder: string) => Promise<void>>> = {
  async dynamodb(folder) {
    await copyArchives(folder, [{ artifact: `com.amazonaws:DynamoDBLocal:${PARTS.dynamodb.version}` }]);
  },
  async moto(folder) {
    await pip(folder, `moto[server]==${PARTS.moto.version}`);
  },
  async keycloak(folder) {
    await unpack(folder, `org.keycloak:keycloak-quarkus-dist:${PARTS.keycloak.version}:zip`);
  },
  async trino(folder) {
    const { version } = PARTS.trino;
    await copyArchives(folder, [
      { artifact: `io.trino:trino-main:${version}` },
      { artifact: `io.trino:trino-memory:${version}` },
      // For how it reads a catalogue: nothing of what it reads files with is needed.
      { artifact: `io.trino:trino-hive:${version}`, alone: true },
      { artifact: 'io.trino.coral:coral:2.2.14-1', alone: true },
    ]);
  },
};

/** Packages in an environment of their own, whose programs are in `bin`. */
export async function pip(folder: string, ...packages: readonly string[]): Promise<void> {
  await command('python3', ['-m', 'venv', folder], SECONDS);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await command(join(folder, 'bin', 'python'), [...install, ...packages], SECONDS);
}

/** @param artifact group, name, version and kind of an archive */
export async function unpack(folder: string, artifact: string): Promise<void> {
  await mvn(folder, 'unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`);
}

interface Archive {
  /** Group, name and version. */
  readonly artifact: string;
  /** Whether without what it depends on itself. */
  readonly alone?: boolean;
}

/** Archives, and what they need to run, into the folder's `lib`. */
async function copyArchives(folder: string, archives: readonly Archive[]): Promise<void> {
  const pom = join(folder, 'pom.xml');
  await writeFile(pom, projectOf(archives));
  const to = `-DoutputDirectory=${join(folder, 'lib')}`;
  await mvn(folder, 'copy-dependencies', '-f', pom, '-DincludeScope=runtime', to);
}

/** In a folder of its own: Maven marks where it is started what it has unpacked, and unpacks that there only once. */
async function mvn(folder: string, goal: string, ...args: string[]): Promise<void> {
  await command('mvn', ['--batch-mode', '--quiet', `${MAVEN_DEPENDENCY_PLUGIN}:${goal}`, ...args], SECONDS, folder);
}

/** A project of nothing but dependencies, whose own dependencies Maven then finds. */
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

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
