/** docs/cli.md, from what the program says of itself and what it really did. */
import type { Command } from 'commander';
import { commandLine } from '../../../bin/ctl/command-line.ts';
import { permissionTable } from './permission-table.ts';
import type { Recording } from './record.ts';

/** The program, asked about itself only. */
export const program: Command = await commandLine(() => async () => undefined);

const HEAD = `# Operate

One command for on-call and the cloud engineer, with their own AWS credentials; nobody edits tables. From a clone:

\`\`\`sh
npm run connectorctl -- status
\`\`\`

npm takes the Node 24 that comes with the packages. Outside a clone it fails, and fetches nothing. Options that stand before \`--\` npm keeps for itself;
the command then refuses and says so. For a machine \`npm run --silent connectorctl -- status --json\` prints nothing but the document.

It finds everything from the stack: the only connector in the account and region, or \`--stack\`. What it prints is short and for people; \`--json\`
prints one document for machines instead. Results go to stdout; questions, progress and errors to stderr. Progress is drawn over
and over on a terminal alone, and colour is for terminals too (\`NO_COLOR\` switches it off).

| Exit status | Meaning |
| --- | --- |
| 0 | Done, or all is well |
| 1 | It failed: AWS, the function or the API refused. The message says what, what is safe, and what to do |
| 2 | Refused or misspelt: no such stack, several, one of another version, a question answered with no. Nothing was done |
| 3 | It worked, and what it looked at is not as it should be |
| 130 | Ctrl-C. The message says what is true then |

Ctrl-C ends reading and waiting at once. What changes something is let to its end, which is a moment away; a second Ctrl-C ends the process
whatever it does.

Options of all commands:
`;

const PERMISSIONS = `## Permissions

What each command called while the transcripts of this page were made, recorded where it arrived. For \`pause\` and \`resume\` AWS asks besides for
\`iam:PassRole\` on the schedule's role, and with \`kmsKeyArn\` for \`kms:Decrypt\` through DynamoDB, S3 and Secrets Manager, which no call shows.
With \`siemReader\`, \`doctor\` also calls \`iam:ListAttachedRolePolicies\` on the reader's role; a run whose time ended before its streams did asks the
schedule's state (\`scheduler:GetSchedule\`) to say what goes on. \`dead-letters show\` of a dead letter needs
\`s3:GetObject\` below \`dead-letter/\`. No command reads or lists outside \`events/\`, \`dead-letter/\` and \`delivery-errors/\`: grant \`s3:ListBucket\` with a
condition on \`s3:prefix\`. A permission that is missing hides nothing else: \`status\` and
\`doctor\` name it and go on.
`;

export function operationsPage(recordings: readonly Recording[]): string {
  const parts = [
    `${HEAD}\n${optionList(program)}`,
    ...recordings.map(section),
    `${PERMISSIONS}\n${permissionTable(recordings)}`,
    'Made by `npm run cli-reference -- --write`; a test holds this page equal to what the commands do.',
  ];
  return `${parts.join('\n\n')}\n`;
}

function section({ page, transcripts }: Recording): string {
  const command = commandOf(page.command);
  const scenes = page.scenes.map(({ says }, place) => {
    const transcript = `\`\`\`console\n${transcripts[place]}\`\`\``;
    return says ? `${says}\n\n${transcript}` : transcript;
  });
  const below = command.commands.map(each => {
    return `\`${command.name()} ${each.name()}\`: ${each.description()}\n\n${optionList(each)}`;
  });
  return [`## ${page.command}`, page.purpose, optionList(command), ...below, ...scenes].filter(Boolean).join('\n\n');
}

function commandOf(name: string): Command {
  const found = program.commands.find(command => command.name() === name);
  if (!found) throw new Error(`The program has no command ${name}`);
  return found;
}

function optionList(command: Command): string {
  const given = command.registeredArguments.map(argument => {
    const choices = argument.argChoices?.map(choice => `\`${choice}\``).join(', ');
    return `- \`<${argument.name()}>\`: ${argument.description}${choices ? `: ${choices}` : ''}`;
  });
  const options = command.options
    .filter(option => option.long !== '--version')
    .map(option => {
      const byDefault = typeof option.defaultValue === 'number' ? ` (default: ${option.defaultValue})` : '';
      return `- \`${option.flags}\`: ${option.description}${byDefault}`;
    });
  return [...given, ...options].join('\n');
}
