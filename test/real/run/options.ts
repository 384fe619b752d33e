import { Command, InvalidArgumentError } from 'commander';
import { defaultCache } from '../../support/parts/cache.ts';
import { PART_NAMES, PARTS, type PartName } from '../parts.ts';

export interface Options {
  readonly without: readonly PartName[];
  /** Whether a missing part fails the run. */
  readonly strict: boolean;
  readonly cache: string;
  /** Only test files whose path contains one of these. */
  readonly only: readonly string[];
}

export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const command = new Command('test:real')
    .description(
      'Runs tests on software that others wrote: DynamoDB Local, moto, Keycloak and Trino, fetched and started here.',
    )
    .argument('[files...]', 'only test files whose path contains one of these')
    .option(
      `--without <part>`,
      `leave out ${PART_NAMES.join(', ')}, and the tests that need it; repeatable`,
      collectPart,
    )
    .option('--strict', 'fail when a part cannot be had, instead of skipping its tests', false)
    .option('--cache <folder>', 'where fetched parts are kept', defaultCache(environment))
    .parse(argv);
  const { without = [], strict, cache } = command.opts();
  return { without, strict, cache, only: command.args };
}

function collectPart(text: string, before: readonly PartName[] = []): readonly PartName[] {
  if (text in PARTS) return [...before, text as PartName];
  throw new InvalidArgumentError(`It must be one of ${PART_NAMES.join(', ')}.`);
}
