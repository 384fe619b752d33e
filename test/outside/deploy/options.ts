import { Command } from 'commander';
import { readArgumentsOrExit } from '../../../local/npm-command.ts';
import { defaultCache } from '../../support/parts/cache.ts';
import { STORIES, STORY_NAMES, type StoryName } from './stories.ts';

export interface Options {
  readonly stories: readonly StoryName[];
  /** Whether to run only the steps that prove the most in little time. */
  readonly bounded: boolean;
  /** Whether a missing emulator fails the run. */
  readonly strict: boolean;
  readonly cache: string;
}

export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const describe = () =>
    new Command('npm run test:deploy --')
      .description('Deploys the connector with the CDK onto a third-party emulator of AWS, and operates it there.')
      .addHelpText(
        'after',
        `\nStories:\n${STORY_NAMES.map(name => `  ${name.padEnd(12)} ${STORIES[name].about}`).join('\n')}`,
      )
      .argument('[stories...]', 'only these stories')
      .option('--bounded', 'only what fits into about four minutes', false)
      .option('--strict', 'fail when the emulator is not available, instead of skipping the stories', false)
      .option('--cache <folder>', 'where the emulator is kept', defaultCache(environment));
  const { flags, operands } = readArgumentsOrExit<Omit<Options, 'stories'>>(
    describe,
    given => unknownStories(given.operands),
    args,
  );

  const named = operands as StoryName[];
  const byDefault = STORY_NAMES.filter(name => !flags.bounded || STORIES[name].bounded);
  return { ...flags, stories: named.length > 0 ? named : byDefault };
}

function unknownStories(names: readonly string[]): string[] {
  const unknown = names.filter(name => !(name in STORIES));
  return unknown.map(name => `there is no story ${name}: ${STORY_NAMES.join(', ')}`);
}
