import { describe, expect, test } from '@jest/globals';
import { commandLine, keptByNpm } from '../../../bin/ctl/command-line.ts';

const names = async (...words: string[]) => {
  const { commands } = await commandLine(() => async () => undefined, words);
  return commands.map(command => command.name());
};

describe('of the commands', () => {
  test.each([
    [['status'], 'status'],
    [['--json', 'doctor', '--preflight'], 'doctor'],
    [['--stack', 'status', '--region=eu-west-1', 'verify', 'threats'], 'verify'],
    [['asset', 'run'], 'asset'],
    [['dead-letters', 'help', 'list'], 'dead-letters'],
  ])('%j loads the one that is called', async (words, name) => {
    expect(await names(...words)).toEqual([name]);
  });

  test.each([[[]], [['--help']], [['--stack', 'status', '--help']], [['help', 'counts']], [['drain']], [['statsu']]])(
    '%j loads them all: none is called by its name',
    async words => {
      expect((await names(...words)).length).toBeGreaterThan(10);
    },
  );
});

test('options that npm took are found, for this script only', async () => {
  const program = await commandLine(() => async () => undefined, ['pause']);
  // As npm 11 gives it for: npm run connectorctl pause --region eu-west-1 --mute
  const environment = {
    npm_lifecycle_event: 'connectorctl',
    npm_config_region: 'true',
    npm_config_mute: 'true',
    npm_config_yes: '',
  };
  expect(keptByNpm(program, environment)).toEqual(['--mute', '--region']);
  expect(keptByNpm(program, { ...environment, npm_lifecycle_event: 'test' })).toEqual([]);
});

test('an option of a command below another is found as well', async () => {
  const program = await commandLine(() => async () => undefined, ['dead-letters', 'redrive', 'siem-dead-letters']);
  const environment = { npm_lifecycle_event: 'connectorctl', npm_config_all: 'true' };
  expect(keptByNpm(program, environment)).toEqual(['--all']);
});
