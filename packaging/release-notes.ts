/**
 * Prints the section of CHANGELOG.md about the version in package.json: `npm run --silent
 * release-notes`. It fails if the version has no section or the tag names another version, so that
 * the release ends before anything is published.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };

const CHANGELOG = path.join(import.meta.dirname, '..', 'CHANGELOG.md');

/**
 * @param tag tag that started the release
 * @throws Error
 */
export function releaseNotes(changelog: string, version: string, tag: string | undefined): string {
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`The tag ${tag} is not that of version ${version} in package.json. Nothing was published.`);
  }
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(text => text.startsWith(`[${version}] - `));
  if (section) return section.slice(section.indexOf('\n')).trim();
  throw new Error(
    `CHANGELOG.md has no section "## [${version}] - <date>". Nothing was published. Rename its section "Unreleased".`,
  );
}

if (import.meta.main) {
  try {
    console.log(releaseNotes(readFileSync(CHANGELOG, 'utf8'), manifest.version, process.env['GITHUB_REF_NAME']));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
