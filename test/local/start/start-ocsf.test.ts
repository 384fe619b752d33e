import { expect, test } from '@jest/globals';
import { deliveredLines } from '../../../local/aws/delivered.ts';
import { ocsfFaults } from '../../ocsf/validate.ts';
import { StateFolder } from './start-process.ts';

test('with --format ocsf every delivered line is a valid event, and the summary counts them', async () => {
  await using folder = await StateFolder.make();
  const { status, stdout } = await folder.run([
    ...['--format', 'ocsf', '--assets', '60', '--threats', '40', '--dns-blocks', '30'],
  ]);
  const lines: string[] = [];
  for await (const { line } of deliveredLines(folder.deliveredFolder('local'))) lines.push(line);
  expect([status, lines.flatMap(ocsfFaults)]).toEqual([0, []]);
  expect(stdout).toMatch(/threats .*\b40\b/);
  expect(lines.length).toBeGreaterThan(120);
}, 30_000);
