import { describe, expect, test } from '@jest/globals';
import { ocsfSchema } from '../../lib/ocsf/schema.ts';
import { exampleLines, shownLines, shownMapping } from '../ocsf/examples.ts';
import { ocsfFaults, readOcsf } from '../ocsf/validate.ts';
import { compiledFields } from '../ocsf/wide-mapping.ts';
import { page, rows, section } from './pages.ts';

const text = page('docs/ocsf.md');
const shown = shownLines(text);

describe('docs/ocsf.md', () => {
  test('shows the lines of a real run, to the last character: npm run examples -- --write', async () => {
    expect(shown).toEqual(await exampleLines());
  });

  test('shows valid events, one of each class and activity that its table names', () => {
    expect(shown.flatMap(ocsfFaults)).toEqual([]);
    const sent = shown.map(readOcsf).map(({ class_uid, activity_id }) => `${class_uid} ${activity_id}`);
    const table = rows(section(text, '## Classes')).filter(([, name]) => /^\d/.test(name!));
    const named = table.map(([, name, activity]) => `${parseInt(name!, 10)} ${parseInt(activity!, 10)}`);
    expect([...new Set(sent)].sort()).toEqual([...new Set(named)].sort());
  });

  test('names the attribute of the id as it is', () => {
    const table = rows(section(text, '## Classes')).filter(([, name]) => /^\d/.test(name!));
    for (const [, name, activity, id] of table) {
      const event = shown
        .map(readOcsf)
        .find(each => `${each.class_uid} ${each.activity_id}` === `${parseInt(name!, 10)} ${parseInt(activity!, 10)}`)!;
      const value = id!
        .replaceAll('`', '')
        .split('.')
        .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], event);
      expect(value).toBe(event.metadata['original_event_uid']);
    }
  });

  test('shows a mapping that is taken', () => {
    expect(Object.keys(compiledFields(shownMapping(text)))).toEqual(
      expect.arrayContaining(['assets', 'threats', 'dns-blocks']),
    );
  });

  test('says of the schema what it is', () => {
    const { classes, objects, version } = ocsfSchema();
    const facts = `${Object.keys(classes).length} classes, ${Object.keys(objects).length} objects, Apache-2.0`;
    expect([text.includes(facts), text.includes(`version ${version}`)]).toEqual([true, true]);
  });
});
