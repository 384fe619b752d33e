import type { Command } from 'commander';
import { commandLine } from '../../../bin/ctl/command-line.ts';

/** The program, for its help only. */
export const program: Command = await commandLine(() => async () => undefined);
