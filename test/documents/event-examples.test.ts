import { expect, test } from '@jest/globals';
import { exampleLines, storyLines, withExamples } from './event-examples.ts';
import { page, section } from './pages.ts';

const events = page('docs/events.md');

test('each example in docs/events.md equals the line of a real run: npm run examples -- --write', async () => {
  expect(events).toBe(withExamples(events, await exampleLines()));
});

test('the run for the examples delivers the same lines each time', async () => {
  const lines = await storyLines();
  expect(lines.length).toBeGreaterThan(6);
  expect(await storyLines()).toEqual(lines);
});

test('ordering and duplicates are explained in five sentences before the details', () => {
  const [first = ''] = section(events, '## Ordering and duplicates').trim().split('\n\n');
  const sentences = first.replaceAll('\n', ' ').split(/(?<=[.!?:]) (?=[A-Z])/);
  expect(sentences).toHaveLength(5);
});
