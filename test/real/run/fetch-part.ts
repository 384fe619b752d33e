/** Fetches a part into the cache by its own registry's client, once. */
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const folder = join(cache, `${part}-${PARTS[part].version}`);
  if (await exists(folder)) return { folder, cached: true };
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, '.fetching-'));
  try {
    await FETCH[part](staging);
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
    const pom = join(folder, 'pom.xml');
    await writeFile(pom, projectOf('com.amazonaws', 'DynamoDBLocal', PARTS.dynamodb.version));
    await mvn(folder, 'copy-dependencies', '-f', pom, `-DoutputDirectory=${join(folder, 'lib')}`);
  },
  async moto(folder) {
    await command('python3', ['-m', 'venv', folder], SECONDS);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await command(join(folder, 'bin', 'python'), [...pip, `moto[server]==${PARTS.moto.version}`], SECONDS);
  },
  async keycloak(folder) {
    const artifact = `org.keycloak:keycloak-quarkus-dist:${PARTS.keycloak.version}:zip`;
    await mvn(folder, 'unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`);
  },
};

/** In a folder of its own: Maven marks where it is started what it has unpacked, and unpacks that there only once. */
async function mvn(folder: string, goal: string, ...args: string[]): Promise<void> {
  await command('mvn', ['--batch-mode', '--quiet', `${MAVEN_DEPENDENCY_PLUGIN}:${goal}`, ...args], SECONDS, folder);
}

/** A project of nothing but one dependency, whose own dependencies Maven then finds. */
function projectOf(group: string, artifact: string, version: string): string {
  const dependency = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
  const self = '<groupId>local</groupId><artifactId>part</artifactId><version>1</version>';
  return `<project><modelVersion>4.0.0</modelVersion>${self}<dependencies><dependency>${dependency}</dependency></dependencies></project>`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
