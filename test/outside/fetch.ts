/** Fetches third-party software by the clients of its registries. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FETCH_SECONDS, installPython } from '../support/parts/cache.ts';
import { command } from '../support/parts/command.ts';

/** The plugin with which Maven fetches. */
const MAVEN_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';

/** @param artifact group, name, version and kind of an archive */
export async function unpack(folder: string, artifact: string): Promise<void> {
  await mvn(folder, 'unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`);
}

/**
 * Puts archives into the folder.
 *
 * @param whole group, name and version of those that come with their own dependencies
 * @param alone those that come without
 */
export async function copyArchives(folder: string, whole: readonly string[], alone: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pom = join(folder, 'pom.xml');
  const nothing = '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>';
  const dependencies = [...whole.map(name => dependency(name)), ...alone.map(name => dependency(name, nothing))];
  const project = '<groupId>local</groupId><artifactId>part</artifactId><version>1</version>';
  await writeFile(
    pom,
    `<project><modelVersion>4.0.0</modelVersion>${project}<dependencies>${dependencies.join('')}</dependencies></project>`,
  );
  await mvn(folder, 'copy-dependencies', '-f', pom, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`);
}

function dependency(archive: string, exclusions = ''): string {
  const [group, name, version] = archive.split(':');
  const place = `<groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>`;
  return `<dependency>${place}${exclusions}</dependency>`;
}

/** In a separate folder, because Maven unpacks an archive only once for each working directory. */
async function mvn(folder: string, goal: string, ...args: string[]): Promise<void> {
  await command('mvn', ['--batch-mode', '--quiet', `${MAVEN_PLUGIN}:${goal}`, ...args], FETCH_SECONDS, { folder });
}

/** Packages of Python. */
export function pythonPart(name: string, version: string) {
  const fetch = (folder: string) => installPython(folder, `${name}==${version}`);
  return { name, version, tools: ['python3'], fetch } as const;
}

/** @param others packages that belong to it */
export function npmPart(name: string, version: string, ...others: readonly string[]) {
  const fetch = (folder: string) => npmInstall(folder, [`${name}@${version}`, ...others, '--ignore-scripts']);
  return { name, version, tools: [], fetch } as const;
}

export async function npmInstall(folder: string, packages: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--loglevel', 'error', '--prefix', folder];
  await command('npm', ['install', ...quiet, ...packages], FETCH_SECONDS, { folder });
}
