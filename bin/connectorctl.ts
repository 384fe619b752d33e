#!/usr/bin/env node
/** The operator's command line. See `--help`. */
import type { Command } from 'commander';
import { CONNECTORCTL } from '../lib/installation.ts';
import type { Action } from './ctl/command.ts';
import { commandLine, keptByNpm } from './ctl/command-line.ts';
import { afterInterruption, exitStatusOf, messageOf, RefusedError } from './ctl/errors.ts';
import { handleClosedOutput } from './ctl/report.ts';
import { terminalText } from './terminal/terminal-text.ts';

handleClosedOutput();

const interruption = new AbortController();
process.once('SIGINT', () => {
  interruption.abort();
  // A second Ctrl-C ends the process at once.
  process.once('SIGINT', () => process.exit(130));
});

function run<Arguments extends unknown[]>(action: Action<Arguments>) {
  return async (...all: [...Arguments, Command]): Promise<void> => {
    const command = all.at(-1) as Command;
    // Loaded here because help does not need it.
    const { createContext } = await import('./ctl/context.ts');
    const context = createContext(command.optsWithGlobals(), interruption.signal);
    context.report.result(await action(context, ...(all.slice(0, -1) as Arguments)));
  };
}

async function main(): Promise<void> {
  try {
    const program = await commandLine(run, process.argv.slice(2));
    const kept = keptByNpm(program, process.env).join(' ');
    if (kept !== '') {
      throw new RefusedError(
        `npm took ${kept} for itself. Nothing was done. Put "--" before the command: ${CONNECTORCTL.command} status ${kept}`,
      );
    }
    await program.parseAsync();
  } catch (thrown) {
    const error = afterInterruption(thrown, interruption.signal);
    const status = exitStatusOf(error);
    const message = messageOf(error);
    const isMachine = process.argv.includes('--json');
    const name = error instanceof Error ? error.name : 'Error';
    const text = isMachine ? JSON.stringify({ error: name, message, status }) : message;
    process.stderr.write(`${terminalText(text)}\n`);
    process.exitCode = status;
  }
}

void main();
