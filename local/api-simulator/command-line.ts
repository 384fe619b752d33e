import { Command, InvalidArgumentError, Option } from 'commander';
import { STREAMS, streamKey } from '../../lambda/streams.ts';
import { optionName, readArgumentsOrExit, wholeNumberParser } from '../npm-command.ts';
import { DEFAULT_SEED_COUNTS, type SeedCounts } from './seed.ts';
import { completeSettings, SIMULATOR_SETTINGS, type SimulatorSettings, settingProblems } from './settings.ts';

/** Settings of the API simulator, and options that say how to run it. */
export interface CommandLine extends SimulatorSettings, Required<SeedCounts> {
  readonly port: number;
  /** Whether to open the control API. */
  readonly control: boolean;
  /** Port of the control API. If undefined, the control API gets any free port. */
  readonly controlPort?: number;
  readonly seed: number;
  /** Number of random changes per second. */
  readonly life: number;
}

/** Reads the command line. `--help` ends the process with status 0, invalid options with 2. */
export function readCommandLine(): CommandLine {
  return readArgumentsOrExit<CommandLine>(describe, ({ flags }) =>
    settingProblems({ ...completeSettings({}), ...flags }).map(inTermsOfOptions),
  ).flags;
}

/**
 * Names the options in a problem about settings: `rowsMember and paginationMember must differ` →
 * `--rows-member and --pagination-member must differ`
 */
function inTermsOfOptions(problem: string): string {
  return problem.replace(/\b[a-z]+[A-Z]\w*/g, optionName);
}

function describe(): Command {
  const command = new Command('npm run api-simulator --')
    .description(
      'Serves the whole Security Data External API on this machine. The first line on stdout is a JSON object with its addresses and credentials.',
    )
    .option('--port <n>', 'port of the API and the token endpoint, on 127.0.0.1; 0 means any free port', PORT, 0)
    .option('--control', 'open the control API on any free port', false)
    .option('--control-port <n>', 'open the control API on this port', PORT)
    .option('--seed <n>', 'the same seed gives the same rows, credentials and changes', ANY_WHOLE, 1)
    .option('--life <rate>', 'random changes per second', number, 0);
  for (const { name, singular } of STREAMS) {
    command.option(
      `--${name} <n>`,
      `generated ${singular}s`,
      ANY_WHOLE,
      DEFAULT_SEED_COUNTS.simulator[streamKey(name)],
    );
  }
  for (const [name, setting] of Object.entries(SIMULATOR_SETTINGS)) {
    const { about, fallback } = setting;
    const value = 'min' in setting ? ' <n>' : typeof fallback === 'boolean' ? '' : ' <text>';
    const option = new Option(optionName(name) + value, about).default(fallback);
    if ('choices' in setting) option.choices(setting.choices);
    if ('min' in setting) option.argParser(number);
    command.addOption(option);
  }
  return command;
}

const PORT = wholeNumberParser(0, 65_535);
const ANY_WHOLE = wholeNumberParser(0, Number.MAX_SAFE_INTEGER);

function number(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0) return value;
  throw new InvalidArgumentError('It must be a number that is not negative.');
}
