import { expect, test } from '@jest/globals';
import { DESTINATIONS } from '../../lib/delivery/destinations.ts';
import { columnsOf } from '../../lib/delivery/parquet-columns.ts';
import { page, rows, section } from './pages.ts';

const parquet = page('docs/parquet.md');

test('docs/parquet.md has a row for each column of the table, with its type and meaning, in order', () => {
  const declared = columnsOf('envelope').map(({ name, type, comment }) => [`\`${name}\``, `\`${type}\``, comment]);
  expect(rows(section(parquet, '## Columns'))).toEqual(declared);
});

test('docs/configuration.md and docs/parquet.md state the default buffer', () => {
  const seconds = DESTINATIONS['s3-parquet'].optional.bufferInterval.default;
  expect(page('docs/configuration.md')).toContain(`below \`lines/\`. \`bufferSeconds\` (${seconds})`);
  expect(parquet).toContain(`for \`bufferSeconds\`: ${seconds} by default`);
});
