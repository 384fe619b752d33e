import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ocsfFaults } from '../../ocsf/validate.ts';
import { deliveredLines } from '../../support/delivered-lines.ts';
import { StateFolder, tableRow } from './start-process.ts';

test('with --format ocsf every line is a valid event, mapped members become attributes, and the rows with each member are counted', async () => {
  await using folder = await StateFolder.make();
  const mapping = join(folder.path, 'mapping.json');
  const threats = { severity: 'severity_id', score: 'count' };
  await writeFile(mapping, JSON.stringify({ fqdn: 'device.hostname', hostname: 'device.name', threats }));
  const size = ['--assets', '30', '--threats', '20', '--dns-blocks', '10'];
  const first = await folder.run(['--format', 'ocsf', '--ocsf-fields', mapping, ...size]);
  const lines = await deliveredLines(folder.deliveredFolder('local'));
  expect([first.status, first.stderr, lines.flatMap(ocsfFaults)]).toEqual([0, '', []]);
  expect(tableRow(first, 'threats')).toMatchObject({ read: 20, forwarded: 20 });
  const events = lines.map(line => JSON.parse(line));
  const live = events.filter(event => event.class_uid === 5001 && event.device.hostname !== undefined);
  expect(live.map(event => event.device.hostname)).toEqual(live.map(event => JSON.parse(event.raw_data).fqdn));
  const found = events.filter(event => event.class_uid === 2004);
  expect(found.map(event => event.severity.toLowerCase())).toEqual(
    found.map(event => JSON.parse(event.raw_data).severity),
  );
  const tombstones = tableRow(first, 'assets')['tombstones']!;
  expect(live).toHaveLength(tableRow(first, 'assets')['forwarded']! - tombstones);
  expect(first.stdout).toContain(`\n  fqdn: ${live.length} rows\n`);
  expect(first.stdout).toContain('\n  hostname: WARNING, 0 rows. No row has this member.');
  expect(first.stdout).toContain('\n  threats.severity: 20 rows\n');
  expect(first.stdout).toContain('\n  threats.score: 20 rows, WARNING, 0 with a value that fits the attribute\n');
  expect(first.stdout).toContain(`--ocsf-fields ${mapping} --assets 30`);

  const second = await folder.run(['--format', 'ocsf', '--ocsf-fields', mapping]);
  expect([second.status, second.stdout.includes('WARNING')]).toEqual([0, false]);
});
