/** The contents and the dependencies of the package. `npm run test:package` tests it in apps. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type BuildOptions, build } from 'esbuild';
import { writeDeclarations } from '../../../packaging/declarations.ts';
import { withDocumentAddresses } from '../../../packaging/document-addresses.ts';
import { ENTRY_BUNDLES } from '../../../packaging/entry-bundles.ts';
import { FUNCTION_BUNDLE } from '../../../packaging/function-bundle.ts';
import { MANIFEST } from '../../../packaging/manifest.ts';
import { releaseNotes } from '../../../packaging/release-notes.ts';
import { bundledPackages, noticesText } from '../../../packaging/third-party-notices.ts';
import { code, links, page, ROOT } from '../../documents/pages.ts';

const { version: VERSION, peerDependencies } = MANIFEST;

/** The entries as the package has them. */
const bundled = Promise.all(ENTRY_BUNDLES.map(each => build({ ...each, write: false } as BuildOptions)));

describe('the manifest', () => {
  test('the package has no dependencies, because its bundles import only the peer dependencies', async () => {
    const imported = (await bundled).flatMap(({ metafile }) =>
      Object.values(metafile!.outputs).flatMap(output => output.imports.map(each => each.path)),
    );
    const packages = imported.filter(name => !isBuiltin(name)).map(packageOf);
    expect([...new Set(packages)].sort()).toEqual(Object.keys(peerDependencies).sort());
    expect(MANIFEST).not.toHaveProperty('dependencies');
  });

  test('the package has a bundle for each AWS client that the command line loads on demand', async () => {
    const onDemand = [...page('bin/ctl/aws.ts').matchAll(/load\('([^']+)'\)/g)].map(([, name]) => name!);
    const [, command] = await bundled;
    const names = bundledPackages([command!.metafile!], ROOT).map(({ name }) => name);
    expect(onDemand.length).toBeGreaterThan(10);
    expect(onDemand.filter(name => !names.includes(name))).toEqual([]);
    expect(command!.outputFiles!.map(({ text }) => /\bload\("@|createRequire/.exec(text)?.[0])).toEqual([undefined]);
  });
});

function packageOf(specifier: string): string {
  const [scope, name] = specifier.split('/');
  return scope!.startsWith('@') ? `${scope}/${name}` : scope!;
}

describe('the README of the package', () => {
  const readme = page('packaging/README.md');

  test('the README of the package has no link that works only in a clone', () => {
    expect(links(readme).filter(link => !link.startsWith('https://'))).toEqual([]);
  });

  test('the README of the package shows the code and the versions of docs/construct.md', () => {
    const own = page('docs/construct.md');
    expect(code(own, 'ts')).toEqual(expect.arrayContaining(code(readme, 'ts')));
    const versions = /You need Node .*?`constructs` 10\.\d+/s;
    expect(versions.exec(readme)?.[0]).toBe(versions.exec(own)?.[0]);
  });
});

test('a text of the package refers to pages in docs/ by the address of the release', () => {
  const text = 'See docs/filters.md#limits (docs/events.md), siem/docs/own.md.';
  const released = 'https://github.com/owner/name/blob/v1.2.3/';
  expect(withDocumentAddresses(text, released)).toBe(
    `See ${released}docs/filters.md#limits (${released}docs/events.md), siem/docs/own.md.`,
  );
  expect(withDocumentAddresses(text, '')).toBe(text);
});

describe('the types of the package', () => {
  const folder = path.join(ROOT, 'node_modules', '.cache', 'declarations');
  const files = writeDeclarations(folder);

  test('the published types show the construct, its props and its destinations, but not its internals', () => {
    expect(files.filter(file => !file.startsWith('packaging/')).sort()).toEqual([
      'lib/alarms/alarms.d.ts',
      'lib/config/problem.d.ts',
      'lib/connector-props.d.ts',
      'lib/delivery/destination-config.d.ts',
      'lib/delivery/destination.d.ts',
      'lib/security-data-connector.d.ts',
    ]);
  });

  test('the published types import only the CDK and do not show private members', () => {
    const texts = files.map(file => readFileSync(path.join(folder, file), 'utf8'));
    const imported = texts.flatMap(text => [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name!));
    expect([...new Set(imported.map(packageOf))].sort()).toEqual(['aws-cdk-lib', 'constructs']);
    expect(texts.flatMap(text => text.match(/^ *(?:private|protected|#\w+).*/gm) ?? [])).toEqual([]);
  });
});

describe('the notices of third parties', () => {
  const metafiles = Promise.all([build({ ...FUNCTION_BUNDLE, write: false }), bundled]).then(
    ([ofFunction, ofEntries]) => [ofFunction, ...ofEntries].map(({ metafile }) => metafile!),
  );

  test('the notices name every package whose code is in a bundle, with its licence', async () => {
    const all = await metafiles;
    const packages = bundledPackages(all, ROOT);
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        '@aws-sdk/client-dynamodb',
        '@aws-sdk/client-scheduler',
        'commander',
        'oauth4webapi',
        'valibot',
      ]),
    );
    expect(names).not.toContain('aws-cdk-lib');
    const text = noticesText(all, ROOT);
    for (const { name, version, licence } of packages) expect(text).toContain(`${name} ${version} (${licence})`);
  });

  test('the licences in the notices require only that the authors are named', async () => {
    const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];
    const others = bundledPackages(await metafiles, ROOT).filter(({ licence }) => !permissive.includes(licence));
    expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
  });
});

const WORKFLOWS = [
  '.github/workflows/ci.yml',
  '.github/workflows/release.yml',
  '.github/workflows/template.yml',
  'examples/pipeline/.github/workflows/deploy.yml',
];

describe('a release', () => {
  const CHANGELOG =
    '# Changelog\n\n## [Unreleased]\n\n- B\n\n## [1.2.3] - 2026-11-22\n\n### Added\n\n- A\n\n## [1.2.2] - 2026-11-01\n';

  test('a release contains the notes of its version', () => {
    expect(releaseNotes(CHANGELOG, '1.2.3', 'v1.2.3')).toBe('### Added\n\n- A');
  });

  test('release notes are refused for a version without a changelog section or with another tag', () => {
    expect(() => releaseNotes(CHANGELOG, '1.2.4', undefined)).toThrow('no section "## [1.2.4] - <date>". Nothing was');
    expect(() => releaseNotes(CHANGELOG, '1.2.3', 'v1.2.2')).toThrow('The tag v1.2.2 is not that of version 1.2.3');
  });

  test('the newest section of the changelog is Unreleased or the version of package.json', () => {
    const [newest] = [...page('CHANGELOG.md').matchAll(/^## \[([^\]]+)\]/gm)].map(([, version]) => version);
    expect(['Unreleased', VERSION]).toContain(newest);
  });

  test.each(WORKFLOWS)(
    'a workflow gives rights in %s only to jobs with a single command and without third-party code',
    file => {
      const [before, after] = page(file).split(/^jobs:$/m);
      const jobs = after!.split(/^ {2}(?=[a-z-]+:$)/m).slice(1);
      const withRights = jobs.filter(job => /^ {4}environment:|^ {6}[a-z-]+: write$|\bsecrets\./m.test(job));
      const commands = withRights.map(job =>
        [...job.matchAll(/^ {6}(?:- | {2})(?:uses|run): ([^@\n]*)/gm)].map(([, what]) => what!),
      );
      const allowed =
        /^(npm publish \.\/\*\.tgz --ignore-scripts$|gh release create |gh pr comment |npx --yes --ignore-scripts aws-cdk$)/;
      const actions = /^(actions\/(setup-node|download-artifact)|aws-actions\/configure-aws-credentials)$/;
      expect(before).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m);
      expect(commands.flat().filter(what => !allowed.test(what) && !actions.test(what))).toEqual([]);
      for (const each of commands) expect(each.filter(what => allowed.test(what))).toHaveLength(1);
      expect(withRights).toHaveLength({ ci: 0, release: 2, template: 1, deploy: 1 }[path.basename(file, '.yml')]!);
      for (const job of withRights)
        expect(job).not.toMatch(/npm (ci|install|test)|npm run|\.ci\/run|checkout|cache: npm/);
    },
  );

  test('a workflow refers to actions by their commit, which cannot be moved', () => {
    for (const file of WORKFLOWS) {
      const used = [...page(file).matchAll(/uses: (\S+)/g)].map(([, action]) => action!);
      expect(used.length).toBeGreaterThan(0);
      for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    }
  });
});
