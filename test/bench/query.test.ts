import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const SCRIPT = path.join(import.meta.dirname, '..', '..', 'bench', 'query.ts');

test('the bench of the views counts what its files were made from', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '--events', '3000', '--runs', '1']);
  expect(stdout).toMatch(/^truth +equal$/m);
  for (const relation of ['lines', 'events', 'current_assets', 'changes']) {
    expect(stdout).toMatch(new RegExp(`^${relation} +\\d+ lines/s`, 'm'));
  }
});
