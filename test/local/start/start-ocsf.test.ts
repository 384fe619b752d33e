import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { deliveredLines } from '../../../local/aws/delivered.ts';
import { ocsfFaults } from '../../ocsf/validate.ts';
import { StateFolder } from './start-process.ts';

test('with --format ocsf every delivered line is a valid event, and the summary counts them', async () => {
  await using folder = await StateFolder.make();
  const { status, stdout } = await folder.run([
    ...['--format', 'ocsf', '--assets', '60', '--threats', '40', '--dns-blocks', '30'],
  ]);
  const lines = await linesIn(folder);
  expect([status, lines.flatMap(ocsfFaults)]).toEqual([0, []]);
  expect(stdout).toMatch(/threats .*\b40\b/);
  expect(lines.length).toBeGreaterThan(120);
});

test('with --ocsf-fields members of the rows become the attributes that the mapping names', async () => {
  await using folder = await StateFolder.make();
  const mapping = join(folder.path, 'mapping.json');
  await writeFile(mapping, JSON.stringify({ fqdn: 'device.hostname', threats: { severity: 'severity_id' } }));
  const size = ['--assets', '3', '--threats', '3', '--dns-blocks', '0'];
  const { status, stderr } = await folder.run(['--format', 'ocsf', '--ocsf-fields', mapping, ...size]);
  expect([status, stderr]).toEqual([0, '']);
  const lines = await linesIn(folder);
  expect(lines.flatMap(ocsfFaults)).toEqual([]);
  const events = lines.map(line => JSON.parse(line));
  const assets = events.filter(event => event.class_uid === 5001);
  expect(assets.map(event => event.device.hostname)).toEqual(assets.map(event => JSON.parse(event.raw_data).fqdn));
  expect(assets[0].device.hostname).toMatch(/^host-/);
  const threats = events.filter(event => event.class_uid === 2004);
  expect([assets.length, threats.length]).toEqual([3, 3]);
  expect(threats.map(event => event.severity.toLowerCase())).toEqual(
    threats.map(event => JSON.parse(event.raw_data).severity),
  );
});

async function linesIn(folder: StateFolder): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of deliveredLines(folder.deliveredFolder('local'))) lines.push(line);
  return lines;
}
