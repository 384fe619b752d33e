/** Prints what the function's role may do and which calls need it; `--write` keeps it in docs/iam.md. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../docs/pages.ts';
import { privilegeTable } from './support/privilege-table.ts';
import { privileges } from './support/privileges.ts';

const { grants, refused } = await privileges();
const table = privilegeTable(grants);
console.log(table);
for (const { permission, resource, scenario } of refused)
  console.error(`${scenario}: ${permission} on ${resource} is not allowed`);
if (refused.length > 0) process.exitCode = 1;
if (process.argv.includes('--write')) await writeFile(path.join(ROOT, 'docs', 'iam.md'), table);
