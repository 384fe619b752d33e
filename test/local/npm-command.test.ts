import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { problemsText, readArguments, wholeNumberParser } from '../../local/npm-command.ts';
import { page } from '../documents/pages.ts';
import { run } from '../support/parts/command.ts';

/** A command with an option of each kind. */
const describeTrial = () =>
  new Command('npm run trial --')
    .argument('[file]', 'a file')
    .requiredOption('--url <url>', 'an address')
    .option('--runs <n>', 'a number', wholeNumberParser(1, 10), 3)
    .option('--quiet', 'a switch', false);

const problemsOf = (...args: string[]) => readArguments(describeTrial, args, {}).problems;

describe('arguments', () => {
  test('valid arguments are returned as flags and operands', () => {
    expect(readArguments(describeTrial, ['--url', 'u', '--runs', '4', 'a.txt'], {})).toEqual({
      flags: { url: 'u', runs: 4, quiet: false },
      operands: ['a.txt'],
      problems: [],
    });
  });

  test('several problems with arguments are reported together, in one sentence each', () => {
    expect(problemsOf('--runs', '11', '--runs', 'x', 'a.txt', 'b.txt', '--nope=canary', '--quiet', '--url')).toEqual([
      "option '--runs <n>' argument '11' is invalid. It must be a whole number from 1 to 10.",
      "option '--runs <n>' argument 'x' is invalid. It must be a whole number from 1 to 10.",
      "unknown option '--nope'",
      'too many arguments. Expected 1 argument but got 2',
      "required option '--url <url>' not specified",
      "option '--url <url>' argument missing",
    ]);
  });

  test('options that npm consumed are the only reported problem, because the other options are unknown', () => {
    const { problems } = readArguments(describeTrial, ['4'], { npm_config_runs: 'true', npm_config_quiet: '' });
    expect(problems).toEqual([
      'npm consumed --runs <n> itself. Type "--" before the options, as in "npm run trial -- --runs <n>".',
    ]);
  });
});

test('a refusal of a command with one problem is a single line before the usage hint', () => {
  expect(problemsText('npm run trial --', ['this is wrong'])).toBe(
    'Nothing was started: this is wrong\n"npm run trial -- --help" explains.',
  );
});

const { scripts } = JSON.parse(page('package.json'));

const READ = ['api-simulator', 'demo', 'bench', 'simulation', 'crash-test', 'contract', 'documents'];

test.each(READ)('npm run %s reads its options with readArgumentsOrExit, which refuses wrong options', name => {
  const [file] = /(bench|local|test)\/[\w/-]+\.ts/.exec(scripts[name])!;
  const source = page(file.replace('api-simulator/main', 'api-simulator/command-line'));
  expect(source).toContain('readArgumentsOrExit');
});

test.each([
  ['start', ['--nope', '--neither'], ["unknown option '--nope'", "unknown option '--neither'"]],
  [
    'api-simulator',
    ['--assets', 'x', '--rows-member', 'a', '--pagination-member', 'a', '--dns-blocks-path', 'b'],
    ["'--assets <n>'", '--rows-member and --pagination-member', '--dns-blocks-path must be a path'],
  ],
])('npm run %s refuses several wrong options at once with status 2', async (name, args, problems) => {
  const { status, stdout, stderr } = await run('sh', ['-c', `${scripts[name]} ${args.join(' ')}`], 120);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^Nothing was started:\n {2}- /);
  for (const problem of problems) expect(stderr).toContain(problem);
});
