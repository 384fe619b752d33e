/** The commands and the options that all of them take. What each one does stands in commands/. */
import { Command } from 'commander';
import { VERSION } from '../../lib/version.ts';
import { examples, type Run } from './command.ts';
import { costCommand } from './commands/cost.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { doctorCommand } from './commands/doctor.ts';
import { fillSecretCommand } from './commands/fill-secret.ts';
import { assetCommand, relatedCommand, threatCommand } from './commands/inquiries.ts';
import { pauseCommand } from './commands/pause.ts';
import { replayCommand } from './commands/replay.ts';
import { resumeCommand } from './commands/resume.ts';
import { resyncCommand } from './commands/resync.ts';
import { runCommand } from './commands/run.ts';
import { statusCommand } from './commands/status.ts';
import { verifyCommand } from './commands/verify.ts';

export function commandLine(run: Run): Command {
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
  const commands = [
    statusCommand(run),
    doctorCommand(run),
    pauseCommand(run),
    resumeCommand(run),
    runCommand(run),
    resyncCommand(run),
    replayCommand(run),
    assetCommand(run),
    threatCommand(run),
    relatedCommand(run),
    verifyCommand(run),
    deadLettersCommand(run),
    costCommand(run),
    fillSecretCommand(run),
  ];
  for (const command of commands) program.addCommand(command);
  settle(program);
  return program;
}

/** The same ways for a command and all below it. */
function settle(command: Command): void {
  command.exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2)).showHelpAfterError('"--help" explains.');
  command.configureHelp({ showGlobalOptions: true });
  for (const each of command.commands) settle(each.copyInheritedSettings(command) as Command);
}

const AFTER = `
In a checkout of the connector type "npx connectorctl".${examples('status', 'doctor', '<command> --help')}
Options of all commands may stand before or behind the command's name.
Results go to stdout; progress, questions and errors to stderr. Colour is for terminals alone; NO_COLOR switches it off.

Exit status: 0 done; 1 it failed; 2 refused or misspelt, and nothing was done; 3 it worked, and found something amiss;
130 interrupted.`;
