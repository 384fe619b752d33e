/** The command line, as docs/cli.md lists it. */
import type { Command } from 'commander';
import { commandLine } from '../../../bin/ctl/command-line.ts';

/** The program, for its help only. */
export const program: Command = await commandLine(() => async () => undefined);

/** A row for each command that can be run, with the description that `--help` begins with. */
export function commandRows(): string[][] {
  return program.commands.flatMap(command => {
    const parts = command.commands.filter(part => part.name() !== 'help');
    return parts.length === 0
      ? [rowOf(command.name(), command)]
      : parts.map(part => rowOf(`${command.name()} ${part.name()}`, part));
  });
}

function rowOf(words: string, command: Command): string[] {
  const operands = command.registeredArguments.map(argument => {
    const named = `${argument.name()}${argument.variadic ? '…' : ''}`;
    return argument.required ? ` <${named}>` : ` [${named}]`;
  });
  return [`\`${words}${operands.join('')}\``, capitalized(command.description())];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
