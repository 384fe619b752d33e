import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { deliveredLines } from '../../../local/aws/delivered.ts';
import { ocsfFaults } from '../../ocsf/validate.ts';
import { StateFolder, tableRow } from './start-process.ts';

test('with --format ocsf every delivered line is a valid event, and the summary counts them', async () => {
  await using folder = await StateFolder.make();
  const run = await folder.run([...['--format', 'ocsf', '--assets', '60', '--threats', '40', '--dns-blocks', '30']]);
  const lines = await linesIn(folder);
  expect([run.status, lines.flatMap(ocsfFaults)]).toEqual([0, []]);
  expect(tableRow(run, 'threats')).toMatchObject({ read: 40, forwarded: 40 });
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

test('a mapping is counted: for each member the rows that have it, and a warning for a name that no row has', async () => {
  await using folder = await StateFolder.make();
  const mapping = join(folder.path, 'mapping.json');
  const threats = { severity: 'severity_id', score: 'count' };
  await writeFile(mapping, JSON.stringify({ fqdn: 'device.hostname', hostname: 'device.name', threats }));
  const size = ['--assets', '30', '--threats', '20', '--dns-blocks', '10'];
  const first = await folder.run(['--format', 'ocsf', '--ocsf-fields', mapping, ...size]);
  const tombstones = tableRow(first, 'assets')['tombstones']!;
  expect(first.stdout).toContain(`\n  fqdn: ${tableRow(first, 'assets')['forwarded']! - tombstones} rows\n`);
  expect(first.stdout).toContain('\n  hostname: WARNING, 0 rows. No row has this member.');
  expect(first.stdout).toContain('\n  threats.severity: 20 rows\n');
  expect(first.stdout).toContain('\n  threats.score: 20 rows, WARNING, 0 with a value that fits the attribute\n');
  expect(first.stdout).toContain(`--ocsf-fields ${mapping}\n`);
  const second = await folder.run(['--format', 'ocsf', '--ocsf-fields', mapping]);
  expect([second.status, second.stdout.includes('WARNING')]).toEqual([0, false]);
});

test('without --format a folder of OCSF events is refused, and nothing is mixed into it', async () => {
  await using folder = await StateFolder.make();
  const size = ['--assets', '3', '--threats', '3', '--dns-blocks', '3'];
  await folder.run(['--format', 'ocsf', ...size]);
  const lines = await linesIn(folder);
  const refused = await folder.run(['--change', '5']);
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('Use --format ocsf');
  expect(await linesIn(folder)).toEqual(lines);
});

async function linesIn(folder: StateFolder): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of deliveredLines(folder.deliveredFolder('local'))) lines.push(line);
  return lines;
}
