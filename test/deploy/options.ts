import { Command } from 'commander';
import { defaultCache } from '../support/parts/cache.ts';
import { STORIES, STORY_NAMES, type StoryName } from './stories.ts';

export interface Options {
  readonly stories: readonly StoryName[];
  /** Whether to run only the steps that prove the most in little time. */
  readonly bounded: boolean;
  /** Whether a missing emulator fails the run. */
  readonly strict: boolean;
  readonly cache: string;
}

export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const command = new Command('test:deploy')
    .description('Deploys the connector with the CDK onto an emulator of AWS that others wrote, and operates it there.')
    .addHelpText(
      'after',
      `\nStories:\n${STORY_NAMES.map(name => `  ${name.padEnd(12)} ${STORIES[name].about}`).join('\n')}`,
    )
    .argument('[stories...]', 'only these stories')
    .option('--bounded', 'only what fits into about four minutes', false)
    .option('--strict', 'fail when the emulator cannot be had, instead of skipping the stories', false)
    .option('--cache <folder>', 'where the emulator is kept', defaultCache(environment))
    .parse(argv);
  const unknown = command.args.filter(name => !(name in STORIES));
  if (unknown.length > 0) command.error(`There is no story ${unknown.join(', ')}: ${STORY_NAMES.join(', ')}.`);
  const { bounded, strict, cache } = command.opts<Omit<Options, 'stories'>>();
  const named = command.args as StoryName[];
  const byDefault = STORY_NAMES.filter(name => !bounded || STORIES[name].bounded);
  return { stories: named.length > 0 ? named : byDefault, bounded, strict, cache };
}
