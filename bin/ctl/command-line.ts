/** The list of commands and their common options. Each command is in commands/. */
import { Command, CommanderError } from 'commander';
import { CONNECTORCTL } from '../../lib/installation.ts';
import { VERSION } from '../../lib/version.ts';
import { terminalLine, terminalText } from '../terminal/terminal-text.ts';
import { type CommandAction, examplesText, type RunAction } from './command.ts';
import type { Surroundings } from './context.ts';
import { errorAfterInterruption, exitStatusOf, printedMessage, RefusedError, UsageError } from './errors.ts';
import type { Shell } from './report.ts';

/**
 * Commands by name. They are loaded on demand, because loading one command with its AWS clients is
 * faster than loading all commands.
 */
const COMMANDS: Readonly<Record<string, (run: RunAction) => Promise<Command>>> = {
  status: async run => (await import('./commands/status/status.ts')).statusCommand(run),
  doctor: async run => (await import('./commands/doctor/doctor.ts')).doctorCommand(run),
  pause: async run => (await import('./commands/pause-resume.ts')).pauseCommand(run),
  resume: async run => (await import('./commands/pause-resume.ts')).resumeCommand(run),
  run: async run => (await import('./commands/run.ts')).runCommand(run),
  resync: async run => (await import('./commands/run.ts')).resyncCommand(run),
  confirm: async run => (await import('./commands/confirm.ts')).confirmCommand(run),
  lookup: async run => (await import('./commands/lookup/lookup.ts')).lookupCommand(run),
  verify: async run => (await import('./commands/verify/verify.ts')).verifyCommand(run),
  'test-event': async run => (await import('./commands/test-event.ts')).testEventCommand(run),
  'dead-letters': async run => (await import('./commands/dead-letters/dead-letters.ts')).deadLettersCommand(run),
  'set-credentials': async run => (await import('./commands/set-credentials.ts')).setCredentialsCommand(run),
};

/** Runs a command and prints its result. @returns the exit status */
export async function connectorctl(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { shell, signal } = surroundings;
  let status = 0;
  const run: RunAction =
    <Arguments extends unknown[]>(action: CommandAction<Arguments>) =>
    async (...all: [...Arguments, Command]) => {
      // The context is loaded here, because help does not need it.
      const { createContext } = await import('./context.ts');
      const context = createContext((all.at(-1) as Command).optsWithGlobals(), surroundings);
      const outcome = await action(context, ...(all.slice(0, -1) as Arguments));
      context.report.print(outcome);
      status = outcome.status ?? 0;
    };
  try {
    const program = await commandLine(run, words, shell);
    const kept = optionsKeptByNpm(program, shell.environment).join(' ');
    if (kept !== '') {
      throw new RefusedError(
        `npm consumed ${kept} itself. Nothing was done. Put "--" before the command: ${CONNECTORCTL.command} status ${kept}`,
      );
    }
    await program.parseAsync(words, { from: 'user' });
    return status;
  } catch (thrown) {
    const json = words.includes('--json');
    if (thrown instanceof CommanderError) {
      // Commander has already printed the help, the version, or the usage if no command is named.
      if (thrown.exitCode === 0) return 0;
      if (thrown.code === NO_COMMAND && !json) return 2;
    }
    const error = thrown instanceof CommanderError ? usageError(thrown) : errorAfterInterruption(thrown, signal);
    const message = printedMessage(error);
    const document = { error: error instanceof Error ? error.name : 'Error', message, status: exitStatusOf(error) };
    shell.stderr.write(`${terminalText(json ? JSON.stringify(document) : message)}\n`);
    return document.status;
  }
}

/** Commander's error code for a command line that names no command. */
const NO_COMMAND = 'commander.help';

/**
 * Creates an error whose reason is one line, even if a script's variable puts several lines into
 * the command line.
 */
function usageError(cause: CommanderError): UsageError {
  const [first = '', suggestion] = cause.message.replace(/^error: /, '').split(/\n(?=\(Did you mean [^\n]*$)/);
  const reason = cause.code === NO_COMMAND ? 'no command is given' : terminalLine(first);
  const text = suggestion === undefined ? reason : `${reason} ${suggestion}`;
  const message = `${text.replace(/\.$/, '')}. Nothing was done. Run it with --help for the usage.`;
  return new UsageError(message, { cause });
}

/**
 * Creates the command line. Only the command that `words` names is loaded, or every command if
 * `words` does not name a command.
 */
export async function commandLine(
  run: RunAction,
  words: readonly string[] = [],
  { stdout, stderr }: Pick<Shell, 'stdout' | 'stderr'> = process,
): Promise<Command> {
  const program = new Command('connectorctl')
    .description('Inspects and operates a deployed connector with your AWS credentials.')
    .version(VERSION)
    .option('--connector <name>', 'name of the connector (default: the only one in the region)')
    .option('--stack <name>', 'stack of the connector, if you may read only that stack')
    .option('--region <region>', 'region of the stack (default: as for the AWS CLI)')
    .option('--profile <name>', 'profile of your AWS configuration files')
    .option('--json', 'print one JSON document')
    .addHelpText('after', AFTER);
  const named = commandIn(words);
  const wanted = named !== undefined && Object.hasOwn(COMMANDS, named) ? [named] : Object.keys(COMMANDS);
  const commands = await Promise.all(wanted.map(name => COMMANDS[name]!(run)));
  for (const command of commands) program.addCommand(command);
  program.configureOutput({
    writeOut: text => void stdout.write(text),
    // Commander writes the usage here if no command is named.
    writeErr: text => void (words.includes('--json') || stderr.write(text)),
    // `connectorctl` prints Commander's errors in the same place as all other errors.
    outputError: () => undefined,
  });
  configure(program);
  return program;
}

/**
 * Finds options that npm consumed because `--` is missing. If npm consumed `--region`, for example,
 * a command would act on another region.
 *
 * @param environment variables of an npm script, in which npm sets `npm_config_region` for
 * `--region`
 */
export function optionsKeptByNpm(program: Command, environment: Shell['environment']): string[] {
  if (environment['npm_lifecycle_event'] !== program.name()) return [];
  const commands = [program, ...program.commands, ...program.commands.flatMap(each => each.commands)];
  const options = new Set(commands.flatMap(command => command.options.map(option => option.long ?? '')));
  return [...options].filter(long => environment[`npm_config_${long.slice(2).replaceAll('-', '_')}`]).sort();
}

const WITH_VALUE = ['--connector', '--stack', '--region', '--profile'];

/** Finds the first argument that is neither an option nor the value of an option. */
function commandIn(words: readonly string[]): string | undefined {
  return words.find((word, at) => !word.startsWith('-') && !WITH_VALUE.includes(words[at - 1] ?? ''));
}

/** Applies the same settings to a command and its subcommands. */
function configure(command: Command): void {
  command.exitOverride();
  command.configureHelp({ showGlobalOptions: true });
  for (const each of command.commands) configure(each.copyInheritedSettings(command) as Command);
}

const AFTER = `
Run it in ${CONNECTORCTL.folder}.${CONNECTORCTL.note}${examplesText('status', 'doctor', '<command> --help')}
Common options may precede or follow the command's name.
Results go to stdout. Progress, questions and errors go to stderr. Colour is used on terminals only. NO_COLOR disables it.

Exit status: 0 success, 1 failure, 2 invalid command or refused with nothing done, 3 success with a finding, 130 interrupted.`;
