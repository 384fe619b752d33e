/**
 * The command line of the commands that npm runs: reads their arguments and explains wrong
 * arguments.
 */
import { type Command, CommanderError, InvalidArgumentError, type Option } from 'commander';

/** Arguments as they were typed, and all problems with them. */
export interface GivenArguments<Flags> {
  /** Values of the options, without the invalid values. */
  readonly flags: Flags;
  /** Arguments that do not belong to an option. */
  readonly operands: readonly string[];
  /** One sentence for each problem, which names the option. */
  readonly problems: readonly string[];
}

/**
 * Reads arguments and collects every problem, because Commander stops at the first problem.
 *
 *     npm start -- --change x --nonsense   →   a problem about --change, and a problem about --nonsense
 *
 * @param describe creates the command, without parsing
 * @param environment variables in which npm stores the options that it consumed
 * @throws CommanderError with the exit code 0, after `--help` was printed
 */
export function readArguments<Flags extends object>(
  describe: () => Command,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): GivenArguments<Flags> {
  const command = describe()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const taken = npmTook(command, environment);
  // If npm has consumed some of the options, the remaining arguments are not those that the user
  // typed for the command.
  if (taken !== undefined) return { flags: command.opts<Flags>(), operands: [], problems: [taken] };

  const invalid: InvalidValue[] = [];
  for (const option of command.options) recordInvalidValues(option, invalid);
  try {
    const { operands, unknown } = command.parseOptions([...args]);
    if (unknown.some(argument => HELP.includes(argument))) command.help();
    const flags = command.opts<Flags>();
    const problems = [
      ...invalid.map(({ problem }) => problem),
      ...unknownOptions(unknown),
      ...excessArguments(command, operands),
      ...missingOptions(command, [...Object.keys(flags), ...invalid.map(({ option }) => option.attributeName())]),
    ];
    return { flags, operands, problems };
  } catch (error) {
    if (!(error instanceof CommanderError) || error.code !== 'commander.optionMissingArgument') throw error;
    // Only the last argument can be an option that lacks its value, so the earlier arguments can be
    // read without it.
    const before = readArguments<Flags>(describe, args.slice(0, -1), environment);
    return { ...before, problems: [...before.problems, error.message.replace(/^error: /, '')] };
  }
}

const HELP = ['-h', '--help'];

interface InvalidValue {
  readonly option: Option;
  readonly problem: string;
}

/** Makes the option record an invalid value instead of throwing. */
function recordInvalidValues(option: Option, invalid: InvalidValue[]): void {
  const { parseArg } = option;
  if (parseArg === undefined) return;
  option.argParser((text: string, before: unknown) => {
    try {
      return parseArg(text, before);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      invalid.push({ option, problem: `option '${option.flags}' argument '${text}' is invalid. ${error.message}` });
      return before;
    }
  });
}

/**
 * Names of the unknown options. Values are left out, because a mistyped option may hold a secret,
 * and even the next argument may be its value.
 */
function unknownOptions(unknown: readonly string[]): string[] {
  const options = unknown.filter(argument => /^-./.test(argument) && argument !== '--');
  return options.map(option => `unknown option '${option.replace(/=.*/s, '')}'`);
}

function excessArguments({ registeredArguments }: Command, { length }: readonly string[]): string[] {
  const expected = registeredArguments.length;
  if (length <= expected || registeredArguments.at(-1)?.variadic) return [];
  const noun = expected === 1 ? 'argument' : 'arguments';
  return [`too many arguments. Expected ${expected} ${noun} but got ${length}`];
}

function missingOptions({ options }: Command, given: readonly string[]): string[] {
  const missing = options.filter(option => option.mandatory && !given.includes(option.attributeName()));
  return missing.map(({ flags }) => `required option '${flags}' not specified`);
}

/**
 * Formats the problems with the arguments, and names the command that explains the arguments.
 *
 * @param name name of the command, such as `npm run bench --`
 */
export function problemsText(name: string, problems: readonly string[]): string {
  const listed = problems.length === 1 ? ` ${problems[0]}` : problems.map(problem => `\n  - ${problem}`).join('');
  return `Nothing was started:${listed}\n"${name} --help" explains.`;
}

/**
 * Reads the arguments of this process. Wrong arguments end the process with status 2, and `--help`
 * ends it with 0.
 *
 * @param check finds problems that concern several options or the operands
 */
export function readArgumentsOrExit<Flags extends object>(
  describe: () => Command,
  check: (given: GivenArguments<Flags>) => readonly string[] = () => [],
  args: readonly string[] = process.argv.slice(2),
): GivenArguments<Flags> {
  try {
    const given = readArguments<Flags>(describe, args, process.env);
    const problems = [...given.problems, ...check(given)];
    if (problems.length === 0) return given;
    console.error(problemsText(describe().name(), problems));
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode);
    throw error;
  }
  process.exit(2);
}

/**
 * Options of npm itself. npm passes on the values of these options in every run, even if nobody
 * typed them.
 */
const OF_NPM = ['--cache', '--omit', '--scope', '--verbose'];

/**
 * Explains options that were typed without `--` before them. npm consumes such options and passes
 * them on only as variables.
 *
 *     npm start --change 50   →   npm_config_change=true, and "50" as the only argument
 *
 * @returns undefined if npm has consumed no option
 */
function npmTook(command: Command, environment: NodeJS.ProcessEnv): string | undefined {
  const taken = command.options.filter(({ long }) => {
    if (long === undefined || OF_NPM.includes(long)) return false;
    return Boolean(environment[`npm_config_${long.slice(2).replaceAll('-', '_')}`]);
  });
  if (taken.length === 0) return undefined;
  // The options have the same form as in the help, such as `--change <n>`.
  const flags = taken.map(option => option.flags);
  return `npm consumed ${flags.join(', ')} itself. Type "--" before the options, as in "${command.name()} ${flags.join(' ')}".`;
}

/** The option in the form in which it is typed: `dnsBlocksPath` → `--dns-blocks-path`. */
export function optionName(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, capital => `-${capital.toLowerCase()}`)}`;
}

/** Creates a parser for an option whose value is a whole number. */
export function wholeNumberParser(min: number, max: number): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
