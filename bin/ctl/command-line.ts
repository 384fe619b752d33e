/** The commands and the options that all of them take. What each one does stands in commands/. */
import { Command } from 'commander';
import { VERSION } from '../../lib/version.ts';
import { examples, type Run } from './command.ts';

/** Each is loaded when it is wanted: with what it asks AWS, one takes less time than all of them. */
const COMMANDS: Readonly<Record<string, (run: Run) => Promise<Command>>> = {
  status: async run => (await import('./commands/status.ts')).statusCommand(run),
  doctor: async run => (await import('./commands/doctor.ts')).doctorCommand(run),
  pause: async run => (await import('./commands/pause.ts')).pauseCommand(run),
  resume: async run => (await import('./commands/resume.ts')).resumeCommand(run),
  run: async run => (await import('./commands/run.ts')).runCommand(run),
  resync: async run => (await import('./commands/resync.ts')).resyncCommand(run),
  replay: async run => (await import('./commands/replay.ts')).replayCommand(run),
  asset: async run => (await import('./commands/inquiries.ts')).assetCommand(run),
  threat: async run => (await import('./commands/inquiries.ts')).threatCommand(run),
  related: async run => (await import('./commands/inquiries.ts')).relatedCommand(run),
  verify: async run => (await import('./commands/verify.ts')).verifyCommand(run),
  'dead-letters': async run => (await import('./commands/dead-letters.ts')).deadLettersCommand(run),
  cost: async run => (await import('./commands/cost.ts')).costCommand(run),
  'set-credentials': async run => (await import('./commands/set-credentials.ts')).setCredentialsCommand(run),
};

/** @param words what was typed: the command that is named there alone, or all where none is */
export async function commandLine(run: Run, words: readonly string[] = []): Promise<Command> {
  const program = new Command('connectorctl')
    .description('Looks at a deployed connector, checks it and gives it orders, with your own AWS credentials.')
    .version(VERSION)
    .option(
      '--stack <name>',
      'stack of the connector, with or without "SecurityDataConnector-" (default: the only one)',
    )
    .option('--region <region>', 'region of the stack (default: as the AWS CLI finds it)')
    .option('--profile <name>', 'profile of your AWS configuration')
    .option('--json', 'print one JSON document, for machines')
    .addHelpText('after', AFTER);
  const named = commandIn(words);
  const wanted = named !== undefined && Object.hasOwn(COMMANDS, named) ? [named] : Object.keys(COMMANDS);
  const commands = await Promise.all(wanted.map(name => COMMANDS[name]!(run)));
  for (const command of commands) program.addCommand(command);
  settle(program);
  return program;
}

/**
 * Options that npm took for its own because no `--` stands before them. Without `--region` a command would act on another region.
 *
 * @param environment as npm gives it to a script: it sets `npm_config_region` for `--region`
 */
export function keptByNpm(program: Command, environment: NodeJS.ProcessEnv): string[] {
  if (environment['npm_lifecycle_event'] !== program.name()) return [];
  const options = [program, ...program.commands, ...program.commands.flatMap(each => each.commands)].flatMap(
    command => command.options,
  );
  const names = options.map(option => option.long ?? '').filter(long => environment[variableOf(long)]);
  return [...new Set(names)].sort();
}

function variableOf(long: string): string {
  return `npm_config_${long.slice(2).replaceAll('-', '_')}`;
}

const WITH_VALUE = ['--stack', '--region', '--profile'];

/** The first word that is neither an option nor an option's value. */
function commandIn(words: readonly string[]): string | undefined {
  return words.find((word, at) => !word.startsWith('-') && !WITH_VALUE.includes(words[at - 1] ?? ''));
}

/** The same ways for a command and all below it. */
function settle(command: Command): void {
  command.exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2)).showHelpAfterError('"--help" explains.');
  command.configureHelp({ showGlobalOptions: true });
  for (const each of command.commands) settle(each.copyInheritedSettings(command) as Command);
}

const AFTER = `
Type it in a clone of the connector. npm keeps options before "--" for itself.${examples('status', 'doctor', '<command> --help')}
Options of all commands may stand before or behind the command's name.
Results go to stdout; progress, questions and errors to stderr. Colour is for terminals alone; NO_COLOR switches it off.

Exit status: 0 done; 1 it failed; 2 refused or misspelt, and nothing was done; 3 it worked, and found something amiss;
130 interrupted.`;
