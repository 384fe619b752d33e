import { expect, test } from '@jest/globals';
import { page } from './pages.ts';
import { changedPages, WRITTEN } from './tables.ts';

test('the tables of docs/ follow from the declarations: npm run doc-tables -- --write', () => {
  expect(changedPages().map(([file]) => file)).toEqual([]);
});

test.each(Object.keys(WRITTEN))(
  'a table of docs/%s that lacks a stream, a view, an alarm or a price is noticed',
  name => {
    const text = page(`docs/${name}`);
    const damaged = text.replace(
      /"threats", |`assets`, `threats`|assets, threats|\| threat \|.*\n|\| `current_threats` .*\n|\| \[stream-silent\].*\n|\| `stream-silent` .*\n|\| CloudWatch alarms \| /g,
      '',
    );
    expect(damaged).not.toBe(text);
    expect(WRITTEN[name]!(damaged)).not.toBe(damaged);
  },
);
