import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { jsonSchemaText } from '../../lib/config/json-schema.ts';
import { PROJECT_ROOT } from './synth.ts';

/** Text of a file of the project. */
function documentText(...name: string[]): string {
  return readFileSync(path.join(PROJECT_ROOT, ...name), 'utf8');
}

test('every option has a row in the README, and every row of its table is an option', () => {
  const { items } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors;
  const options = Object.keys(items.properties);
  const readme = documentText('README.md');
  const section = readme.split(/^## Configuration$/m)[1]!.split(/^## /m)[0]!;
  const rows = [...section.matchAll(/^\| `(\w+)` +\|/gm)].map(match => match[1]!);
  expect([...rows].sort()).toEqual([...options].sort());
});

test('every alarm has a runbook section, and every section of the runbook is an alarm', () => {
  const alarms = ALARMS.map(({ name }) => name);
  const runbook = documentText('docs', 'runbook.md');
  const headings = [...runbook.matchAll(/^## ([a-z-]+)$/gm)].map(match => match[1]!);
  expect([...headings].sort()).toEqual([...alarms].sort());
});

test('every section of the runbook says what happens, whether data is safe, where to look and what to do', () => {
  const runbook = documentText('docs', 'runbook.md');
  const sections = runbook.split(/^## (?=[a-z-]+$)/m).slice(1);
  const incomplete = sections
    .filter(
      section =>
        !['Description', 'Is data safe?', 'Investigate', 'Resolve'].every(part => section.includes(`### ${part}`)),
    )
    .map(section => section.split('\n')[0]);
  expect(incomplete).toEqual([]);
});

test.each(['connector-props.ts', 'delivery/destination.ts', 'siem/siem-reader.ts', 'function/poller-network.ts'])(
  'every prop in %s has a sentence, and every optional one its default',
  file => {
    const text = documentText('lib', file);
    const exported = text.split(/^(?=export (?:interface|type|function|const) )|^(?=interface |\/\*\*)/m);
    const interfaces = exported.filter(part => /^(export )?interface /.test(part));
    const props = interfaces.flatMap(part => [
      ...part.matchAll(/((?:^ {2}\/\*\*[\s\S]*?\*\/\n)?)^ {2}readonly (\w+)(\??):/gm),
    ]);
    const undocumented = props.filter(
      ([, comment, name, optional]) =>
        name !== 'type' && (!comment || (optional === '?' && !comment.includes('@default'))),
    );
    expect(props.length).toBeGreaterThan(2);
    expect(undocumented.map(([, , name]) => name)).toEqual([]);
  },
);
