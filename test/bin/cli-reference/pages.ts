/** The pages of all commands, in the order of the program: each file in transcripts/ exports one or more. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { CommandPage } from './command-page.ts';
import { program } from './page.ts';

const FOLDER = path.join(import.meta.dirname, '..', 'transcripts');
const ORDER = program.commands.map(command => command.name());

const files = await Promise.all(
  readdirSync(FOLDER).map(
    (file): Promise<Record<string, CommandPage | readonly CommandPage[]>> => import(`../transcripts/${file}`),
  ),
);

export const PAGES: readonly CommandPage[] = files
  .flatMap(file => Object.values(file).flat())
  .toSorted((a, b) => ORDER.indexOf(a.command) - ORDER.indexOf(b.command));
