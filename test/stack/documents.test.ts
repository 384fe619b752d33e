import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { SEVERITIES } from '../../lib/alarms/alarm-definition.ts';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { PROP_NAMES } from '../../lib/config/props.ts';
import { connectorSchema } from '../../lib/config/schema.ts';
import { page, ROOT, section } from '../documents/pages.ts';

/** Text of a file of the project. */
function documentText(...name: string[]): string {
  return readFileSync(path.join(ROOT, ...name), 'utf8');
}

test('docs/construct.md names the option of cdk.json for each prop with another name', () => {
  const text = section(page('docs/construct.md'), '## Props');
  const named = [...text.matchAll(/^- `(\w+)`.* is `(\w+)`\.$/gm)].map(([, prop, option]) => [option, prop]);
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(Object.entries(PROP_NAMES).filter(([option]) => option in connectorSchema.entries)),
  );
});

test('the runbook has a section for exactly the alarms that notify', () => {
  const alarms = [...SEVERITIES, ...ALARMS.map(({ name }) => name)];
  const runbook = documentText('docs', 'runbook.md');
  const headings = [...runbook.matchAll(/^## ([a-z-]+)$/gm)].map(match => match[1]!);
  expect([...headings].sort()).toEqual([...alarms].sort());
});

test('every section of an alarm says whether data is safe, where to look and what to do', () => {
  const runbook = documentText('docs', 'runbook.md');
  const sections = runbook.split(/^## (?=[a-z-]+$)/m).slice(1);
  const incomplete = sections
    .filter(section => !['Is data safe?', 'Investigate.', 'Resolve.'].every(part => section.includes(`\n**${part}**`)))
    .map(section => section.split('\n')[0]);
  expect(incomplete).toEqual([]);
});

/**
 * The members and methods of each interface and class that the package publishes: doc comment,
 * name, and a mark of what may be left out.
 */
const PUBLISHED = ['lib/connector-props.ts', 'lib/delivery/destination.ts', 'lib/security-data-connector.ts'].flatMap(
  file =>
    documentText(file)
      .split(/^(?=export (?:interface|class) )/m)
      .filter(part => part.startsWith('export'))
      .flatMap(part => {
        const type = /^export \w+ (\w+)/.exec(part)![1]!;
        const members = part
          .split('\n}\n')[0]!
          .matchAll(/((?:^ {2}\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?)^ {2}(?:readonly )?(\w+)(\??)[:(]/gm);
        return [...members].flatMap(([, comment, name, mark]) =>
          // Left out of the published types.
          comment!.includes('@internal') ? [] : [{ name: `${type}.${name}`, comment, mark }],
        );
      }),
);

test('every published member is documented by a sentence, and every optional member with its default', () => {
  const undocumented = PUBLISHED.filter(
    ({ comment, mark }) => !/[A-Z`][\s\S]*\.\s/.test(comment!) || (mark === '?' && !comment!.includes('@default')),
  );
  expect(PUBLISHED.length).toBeGreaterThan(70);
  expect(undocumented.map(({ name }) => name)).toEqual([]);
});
