/** Prints what the function's role may do and which calls need it; `--write` keeps it in docs/iam.md. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { argumentsOrExit } from '../../../local/npm-command.ts';
import { ROOT } from '../../documents/pages.ts';
import { privilegeTable } from './support/privilege-table.ts';
import { privileges } from './support/privileges.ts';

const { flags } = argumentsOrExit<{ write: boolean }>(() =>
  new Command('npm run iam-report --')
    .description('Prints what the role of the function allows, and which calls need it.')
    .option('--write', 'keep the table in docs/iam.md', false),
);
const { grants, refused } = await privileges();
const table = privilegeTable(grants);
console.log(table);
for (const { permission, resource, scenario } of refused)
  console.error(`${scenario}: ${permission} on ${resource} is not allowed`);
if (refused.length > 0) process.exitCode = 1;
if (flags.write) await writeFile(path.join(ROOT, 'docs', 'iam.md'), table);
