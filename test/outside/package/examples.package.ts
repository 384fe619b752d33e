/** Files that neither TypeScript nor the CDK reads. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from '@jest/globals';
import { ROOT } from '../../documents/pages.ts';
import { command } from '../../support/parts/command.ts';
import { part } from '../running.ts';

test('actionlint finds no problem in the workflows', async () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });
  const files = [...workflows, 'examples/pipeline/.github/workflows/deploy.yml'];
  await command(path.join(part('actionlint').folder, 'actionlint'), files, 120);
});

test('hclfmt can read the example for Terraform and would not change it', async () => {
  await command(path.join(part('hclfmt').folder, 'hclfmt'), ['-check', 'examples/terraform/main.tf'], 60);
});
