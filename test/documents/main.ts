/** Writes the generated parts of docs/, or only those that are named. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { readArgumentsOrExit } from '../../local/npm-command.ts';
import { compared, PARTS } from './generated.ts';
import { ROOT } from './pages.ts';

const names = Object.keys(PARTS);

const { operands } = readArgumentsOrExit<object>(
  () =>
    new Command('npm run documents --')
      .description('Writes the generated parts of docs/ again, and names the files that changed.')
      .argument('[part...]', `only these parts: ${names.join(', ')} (default: all)`),
  given => given.operands.filter(name => !names.includes(name)).map(name => `there is no part '${name}'`),
);

const chosen = operands.length === 0 ? names : operands;

for (const name of chosen) {
  const { path: file, before, after } = await compared(PARTS[name]!);
  if (before === after) continue;
  writeFileSync(file, after);
  console.log(`${name}: ${path.relative(ROOT, file)}`);
}
