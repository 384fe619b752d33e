import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { CONFIGURATION_PAGE, CONSTRUCT_PAGE, generatedPage } from '../../lib/config/json-schema.ts';
import type { Option } from '../../lib/config/option.ts';
import { CONNECTOR_OPTIONS, STACK_OPTIONS, VPC_OPTIONS } from '../../lib/connector-options.ts';
import { DESTINATIONS } from '../../lib/delivery/destinations.ts';
import { SIEM_READERS } from '../../lib/siem/readers.ts';
import { PAGES } from '../docs/pages.ts';
import { PROJECT_ROOT } from './synth.ts';

/** Text of a file of the project. */
function documentText(...name: string[]): string {
  return readFileSync(path.join(PROJECT_ROOT, ...name), 'utf8');
}

test.each([CONFIGURATION_PAGE, CONSTRUCT_PAGE])('the tables of %s follow from the options: npm run schema', file => {
  expect(readFileSync(file, 'utf8')).toBe(generatedPage(file));
});

test('every optional option says in its doc comment what happens when it is left out', () => {
  const groups = [
    CONNECTOR_OPTIONS,
    STACK_OPTIONS,
    VPC_OPTIONS,
    ...Object.values(DESTINATIONS),
    ...Object.values(SIEM_READERS),
  ];
  const files = ['lambda/options.ts', 'lib/connector-options.ts', 'lib/siem/readers.ts'];
  const folder = path.join(PROJECT_ROOT, 'lib', 'delivery');
  const texts = [
    ...files.map(file => documentText(file)),
    ...readdirSync(folder).map(file => documentText('lib', 'delivery', file)),
  ];
  const comments = texts.flatMap(text => [...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+): \{/g)]);
  const described = new Set(comments.filter(([, comment]) => comment!.includes('@default')).map(([, , key]) => key));
  const silent = groups.flatMap(({ optional }) =>
    Object.entries<Option>(optional).filter(([key, { absent }]) => !described.has(key) && absent === undefined),
  );
  expect(described.size).toBeGreaterThan(30);
  expect(silent.map(([key]) => key)).toEqual([]);
});

test('wherever a text says what to set refreshDays to, it is the retention of the SIEM, not a part of it', () => {
  const advice = [...PAGES, 'lambda/options.ts'].flatMap(file =>
    [...documentText(file).matchAll(/(?:refreshDays`|[Ss]et it) to ((?:half|the retention)[^.,|)]*)/g)].map(
      ([, value]) => `${file}: ${value!.replace(/\s+/g, ' ')}`,
    ),
  );
  expect(advice.length).toBeGreaterThan(5);
  expect(advice.filter(each => !each.endsWith(': the retention of your SIEM'))).toEqual([]);
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

test.each(['function/poller-network.ts'])(
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
