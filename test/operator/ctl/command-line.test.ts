import { describe, expect, test } from '@jest/globals';
import { pastTimeParser, wholeNumberParser } from '../../../bin/ctl/command.ts';
import { commandLine, optionsKeptByNpm } from '../../../bin/ctl/command-line.ts';
import { start } from '../support/shell.ts';

const names = async (...words: string[]) => {
  const { commands } = await commandLine(() => async () => undefined, words);
  return commands.map(command => command.name());
};

test('a numeric option below its minimum is refused', () => {
  expect(wholeNumberParser({ min: 2 })('2')).toBe(2);
  expect(() => wholeNumberParser({ min: 2 })('1')).toThrow('It must be a whole number, 2 or more.');
});

test('the time in an option must be past and have a zone, and is converted to UTC', () => {
  const parse = pastTimeParser(() => Date.parse('2026-11-24T08:00:00Z'));
  expect(parse('2026-01-01T01:00:00+01:00')).toBe('2026-01-01T00:00:00.000Z');
  for (const wrong of ['2026-11-24T07:00:00', '2026-11-24T08:00:01Z', 'yesterday'])
    expect(() => parse(wrong)).toThrow('It must be a past time with its zone');
});

describe('the modules of the commands', () => {
  test.each([
    [['status'], 'status'],
    [['--json', 'status', '--all'], 'status'],
    [['--stack', 'status', '--region=eu-west-1', 'verify', 'threats'], 'verify'],
    [['lookup', 'run'], 'lookup'],
    [['dead-letters', 'help', 'list'], 'dead-letters'],
  ])('the command line %j loads only the module of its command', async (words, name) => {
    expect(await names(...words)).toEqual([name]);
  });

  test.each([[[]], [['--help']], [['--stack', 'status', '--help']], [['help', 'verify']], [['statsu']]])(
    'the command line %j loads the modules of all commands, because it does not name a command',
    async words => {
      expect((await names(...words)).length).toBeGreaterThan(10);
    },
  );
});

test('options that npm consumed are found, but only in the connectorctl script', async () => {
  const program = await commandLine(() => async () => undefined, ['pause']);
  // As npm 11 gives it for: npm run connectorctl pause --region eu-west-1 --mute
  const taken = { npm_config_region: 'true', npm_config_mute: 'true', npm_config_yes: '' };
  expect(optionsKeptByNpm(program, { npm_lifecycle_event: 'connectorctl', ...taken })).toEqual(['--mute', '--region']);
  expect(optionsKeptByNpm(program, { npm_lifecycle_event: 'test', ...taken })).toEqual([]);
});

test('an option of a subcommand that npm consumed is found', async () => {
  const program = await commandLine(() => async () => undefined, ['dead-letters', 'redrive']);
  const environment = { npm_lifecycle_event: 'connectorctl', npm_config_all: 'true' };
  expect(optionsKeptByNpm(program, environment)).toEqual(['--all']);
});

describe('a wrong command line', () => {
  const typed = (...words: string[]) => start(words, { environment: {} }).ended;

  const WRONG: readonly (readonly [words: string[], reason: string])[] = [
    [['statsu'], "unknown command 'statsu' (Did you mean status?)"],
    [['status', '--nonsense'], "unknown option '--nonsense'"],
    [['run', '--wait', 'soon'], "argument 'soon' is invalid. It must be a whole number of seconds."],
    [['verify', 'cars'], "'cars' is invalid for argument 'stream'. Allowed choices are assets, threats, dns-blocks."],
    [['lookup', 'assets'], "missing required argument 'id'"],
  ];

  test.each(WRONG)('the command line %j is refused with exit status 2 and the reason', async (words, reason) => {
    const text = await typed(...words);
    expect(text).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(reason) });
    expect(text.stderr).toMatch(/[^.]\. Nothing was done\. Run it with --help for the usage\.\n$/);
    const { status, stdout, stderr } = await typed('--json', ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: 'UsageError', message: text.stderr.trimEnd(), status: 2 });
  });

  test.each([[[]], [['dead-letters']]])(
    'the command line %j without a command is answered with the usage or a JSON error',
    async words => {
      const usage = expect.stringMatching(/^Usage: connectorctl /);
      expect(await typed(...words)).toEqual({ status: 2, stdout: '', stderr: usage });
      const { status, stdout, stderr } = await typed('--json', ...words);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({ error: 'UsageError', status: 2 });
    },
  );

  test('control characters of a wrong command line are shown as escapes', async () => {
    const { stderr } = await typed('run', '--wait', 'x\u001b[32m\u009b1A\u202e\nforged');
    expect(stderr).toContain('x\\u001b[32m\\u009b1A\\u202e\\u000aforged');
    expect(stderr.trimEnd()).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});
