import { globSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { jsonSchemaText } from './json-schema.ts';
import { PACKAGES } from './packages.ts';
import { code, onPages, PAGES, page, ROOT, rows, section } from './pages.ts';

const readme = page('README.md');
const configuration = page('docs/configuration.md');
const plain = (cell: string) => cell.replaceAll('`', '');

describe('the options in docs/configuration.md', () => {
  const { items } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors;

  test('docs/configuration.md names every member of a destination and of a reader', () => {
    const { destination, siemReader } = items.properties;
    const members = [destination, siemReader].flatMap(({ oneOf }) =>
      oneOf.flatMap((each: { properties: object }) => Object.keys(each.properties)),
    );
    const text = section(configuration, '## Options');
    expect([...new Set<string>(members)].filter(member => !text.includes(member))).toEqual([]);
  });
});

test('the README has at most 160 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(160);
});

describe('commands', () => {
  test('the README lists the test commands in a line, which CI runs first on a clean clone', () => {
    const [command] = code(section(readme, '## What is proven, and what is not'), 'sh');
    expect(command).toBe('npm ci && npm test\n');
    const steps = page('.ci/run')
      .split('\n')
      .filter(line => line.startsWith('npm '));
    expect(steps.slice(0, 2)).toEqual(command!.trimEnd().split(' && '));
    expect(code(page('docs/testing.md'), 'sh')).toEqual([command]);
  });

  test('the README and docs/cost.md state the same monthly cost of a small organization', () => {
    const [, total] = rows(page('docs/cost.md')).find(([name]) => name === '**total**')!;
    expect(readme).toContain(`about ${Math.round(Number(plain(total!.replaceAll('*', ''))))} US dollars per month`);
  });

  test('the first 30 lines of the README show the command that starts the demo, with its output', () => {
    const [command] = code(readme, 'sh');
    expect(command).toBe('npm ci && npm start\n');
    const top = readme.split('\n').slice(0, 31).join('\n');
    expect(code(top, 'sh')).toEqual([command]);
    expect(code(top, 'text')).toHaveLength(1);
  });

  test('every npm script that a page names is in package.json', () => {
    const { scripts } = JSON.parse(page('package.json'));
    // The changelog names scripts that are gone.
    const pages = PAGES.filter(name => name !== 'CHANGELOG.md');
    const named = onPages(/npm run (?:--silent )?([a-z:-]+)/g, pages);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ found }) => !(found in scripts))).toEqual([]);
  });

  test('a command in a page or message cannot download the package of a stranger', () => {
    // Anyone may register another name, and its users have AWS credentials. But these packages are
    // AWS's own.
    const owned = ['cdk', 'aws-cdk'];
    const sources = globSync(
      [
        '{bin,lib,lambda,local,packaging,examples}/**/*.ts',
        '{,examples/*/}.github/**/*.yml',
        'cdk.json',
        'package.json',
        '.ci/run',
      ],
      { cwd: ROOT },
    );
    const named = [...PAGES, ...sources].flatMap(name => {
      // `npx --no --` runs an installed program, or nothing.
      const runners = /\b(?:npx|npm (?:exec|x)|(?:pnpm|yarn) dlx|bunx)\b(?! --no -- )(?:\s+-\S+)*\s+([\w@/.${-]+)/g;
      return [...page(name).matchAll(runners)].map(([, program]) => ({ name, program: program! }));
    });
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ program }) => !owned.includes(program.replace(/@[\d.]+$/, '')))).toEqual([]);
    expect(Object.keys(JSON.parse(page('node_modules/aws-cdk/package.json')).bin)).toContain('cdk');
  });

  test('npx starts connectorctl only as "npx --no -- connectorctl", in every document and source', () => {
    const files = globSync('**/*.{md,ts,mjs,json,yml}', {
      cwd: ROOT,
      exclude: ['**/node_modules', 'dist', '**/cdk.out'],
    });
    const started = [...files, '.ci/run'].flatMap(name =>
      // Code passes the arguments as a list: 'npx', ['--no', '--', 'connectorctl'].
      [...page(name).matchAll(/\bnpx(?:\s|['",[]|--?[a-z]*)*connectorctl\b/g)].map(([found]) => ({
        name,
        words: found.split(/[\s'",[]+/).join(' '),
      })),
    );
    expect(started.length).toBeGreaterThan(10);
    expect(started.filter(({ words }) => words !== 'npx --no -- connectorctl')).toEqual([]);
  });

  test('every aws command of a page or message names its region or follows an export of AWS_REGION', () => {
    const sources = globSync('{bin,lib,lambda,local,packaging,examples}/**/*.ts', {
      cwd: ROOT,
      exclude: ['**/node_modules'],
    });
    const commands = [...PAGES, 'packaging/README.md', ...sources].flatMap(name => {
      // A backslash continues a command on the next line. "aws configure" calls no service, and
      // without arguments it is a mention.
      const lines = page(name).replaceAll('\\\n', ' ').split('\n');
      const exported = lines.findIndex(line => line.startsWith('export AWS_REGION='));
      return lines.flatMap((line, at) =>
        [...line.matchAll(/(?<![\w/-])aws (?!configure\b)[a-z0-9-]+ [a-z][a-z0-9-]+ [^`\n]+/g)].map(([command]) => ({
          name,
          command,
          hasRegion: command.includes(' --region ') || (exported >= 0 && exported < at),
        })),
      );
    });
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.filter(({ hasRegion }) => !hasRegion)).toEqual([]);
  });

  test('every package in package.json has a stated reason, and every stated reason has a package', () => {
    const names = Object.keys(JSON.parse(page('package.json')).devDependencies);
    const fits = (name: string, key: string) => (key.endsWith('*') ? name.startsWith(key.slice(0, -1)) : name === key);
    const reasons = Object.keys(PACKAGES);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter(name => !reasons.some(key => fits(name, key)))).toEqual([]);
    expect(reasons.filter(key => !names.some(name => fits(name, key)))).toEqual([]);
  });
});
