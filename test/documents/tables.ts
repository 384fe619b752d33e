/**
 * The parts of docs/ that follow from declarations: options, streams, alarms and the bill. A test holds them.
 *
 *     npm run doc-tables               names the files whose parts differ
 *     npm run doc-tables -- --write    writes them again
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { costRows, tenantRows } from '../../bench/cost.ts';
import { STREAMS, type Stream } from '../../lambda/streams.ts';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { jsonSchemaText } from '../../lib/config/json-schema.ts';
import { TEST } from '../../lib/test-event.ts';
import { alarmDefinitions, alarmSeries } from '../../local/alarms/alarm-definitions.ts';
import { argumentsOrExit } from '../../local/npm-command.ts';
import { templateWith } from '../stack/shared-template.ts';
import type { SynthesizedTemplate } from '../stack/template.ts';
import { VARIANTS } from '../stack/variants.ts';
import { ROOT } from './pages.ts';

const CONDITIONS = {
  plain: conditionsIn(await templateWith(VARIANTS.plain)),
  endpoint: conditionsIn(await templateWith(VARIANTS.splunk)),
};

/** By file of docs/, its text with those parts as they should be. */
export const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  'configuration.md': text => withTable(withTable(text, '## Options', optionRows()), '## Alarms', thresholdRows()),
  'cost.md': text => withTable(withTable(text, '## The tenants', tenantRows()), '## The bill', costRows()),
  'event.schema.json': withSchemaStreams,
  'events.md': text =>
    text.replace(
      /^\| `stream` \|.*$/m,
      `| \`stream\` | ${either(STREAMS.map(({ name }) => `\`${name}\``))}; \`${TEST.stream}\` for a test event |`,
    ),
  'runbook.md': text => withTable(text, '# ', alarmRows()),
};

interface Option {
  /** Its last sentence is `Left out: …` where there is no default. */
  readonly description: string;
  readonly default?: unknown;
}

/** The options of `cdk.json`, with the descriptions of their JSON Schema. Names of pages become links. */
function optionRows(): string[][] {
  const { properties, required } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors.items;

  return Object.entries<Option>(properties).map(([name, option]) => {
    const [sentences = '', leftOut = ''] = option.description.split(/\.? Left out: |\.$/);
    const byDefault = option.default === undefined ? leftOut : `\`${JSON.stringify(option.default)}\``;
    const meaning = sentences.replace(/\bdocs\/([\w-]+\.md)((?:#[\w-]+)?)/g, '[$1]($1$2)').replaceAll('|', '\\|');
    return [`\`${name}\``, required.includes(name) ? 'required' : byDefault, meaning];
  });
}

function alarmRows(): string[][] {
  const bySeverity = ALARMS.toSorted((one, other) => one.severity.localeCompare(other.severity));
  return bySeverity.map(({ name, severity, first }) => [
    `[${name}](#${name})`,
    severity,
    `\`npm run connectorctl -- ${first}\``,
  ]);
}

/** The alarms of a connector without options, and those that only an endpoint has. */
function thresholdRows(): string[][] {
  return ALARMS.toSorted((one, other) => one.name.localeCompare(other.name)).map(({ name, severity }) => {
    const plain = CONDITIONS.plain.get(name);
    const { metric, alarm } = plain ?? CONDITIONS.endpoint.get(name)!;
    const comparison = alarm.comparison === 'LessThanThreshold' ? 'below' : 'at least';
    const minutes = `${alarm.periodMinutes} ${alarm.periodMinutes === 1 ? 'minute' : 'minutes'}`;
    const times = alarm.evaluationPeriods === 1 ? '' : `, ${alarm.evaluationPeriods} times in a row`;
    return [
      `\`${name}\`${plain ? '' : ', with an endpoint'}`,
      severity,
      `\`${metric}\``,
      `${comparison} ${alarm.threshold} as ${alarm.statistic.toLowerCase()} of ${minutes}${times}`,
    ];
  });
}

/** Metric and condition of each alarm of a template, by the alarm's name. */
function conditionsIn(template: SynthesizedTemplate) {
  const series = alarmSeries(template);
  return new Map(
    alarmDefinitions(template).map((alarm, index) => [alarm.name, { metric: series[index]!.metric, alarm }]),
  );
}

/** Which streams have which kinds and members. What the conditions say is written by hand. */
function withSchemaStreams(text: string): string {
  const list = (all: readonly string[]) => JSON.stringify(all).replaceAll(',', ', ');
  const namesOf = (of: (stream: Stream) => boolean) => STREAMS.filter(of).map(({ name }) => name);
  const names = (of: (stream: Stream) => boolean) => list(namesOf(of));
  const withTest = (of: (stream: Stream) => boolean) => list([...namesOf(of), TEST.stream]);
  const enums: Readonly<Record<string, string>> = {
    '"stream": {\n      "enum"': withTest(() => true),
    '"const": "upsert" } } },\n      "then": { "required": ["row"], "properties": { "stream": { "enum"': names(
      ({ kind }) => kind === 'upsert',
    ),
    '"const": "upsert" }, "stream": { "enum"': names(({ tombstones }) => tombstones),
    '"const": "tombstone" } } },\n      "then": {\n        "required": ["row"],\n        "properties": {\n          "stream": { "enum"':
      names(({ tombstones }) => tombstones),
    '"const": "withdrawn" } } },\n      "then": { "properties": { "stream": { "enum"': names(
      ({ hasRowStates }) => hasRowStates,
    ),
    '"const": "withdrawn" }, "stream": { "enum"': names(
      ({ hasRowStates, cascadesFrom }) => hasRowStates && cascadesFrom === undefined,
    ),
    '"const": "dns_block" } } },\n      "then": { "required": ["row"], "properties": { "stream": { "enum"': names(
      ({ kind }) => kind === 'dns_block',
    ),
    '"if": { "properties": { "stream": { "enum"': withTest(({ cascadesFrom }) => cascadesFrom === undefined),
  };
  return Object.entries(enums).reduce((schema, [before, list]) => {
    const at = schema.indexOf(before);
    if (at < 0) throw new Error(`docs/event.schema.json has no place ${before}`);
    const start = at + before.length;
    return `${schema.slice(0, start)}: ${list}${schema.slice(schema.indexOf(']', start) + 1)}`;
  }, text);
}

/** From a heading on, or from the beginning of the page. */
function partOf(text: string, heading: string): string {
  const at = heading === '# ' ? 0 : text.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`There is no heading "${heading}"`);
  return text.slice(at);
}

/** The first table below the heading keeps its head. */
function withTable(text: string, heading: string, lines: readonly (readonly string[])[]): string {
  const part = partOf(text, heading);
  const body = lines.map(cells => `| ${cells.join(' | ')} |\n`).join('');
  return (
    text.slice(0, -part.length) +
    part.replace(/(\n\|[^\n]*\n\|[ :|-]+\n)(?:\|[^\n]*(?:\n|$))*/, (_, head: string) => head + body)
  );
}

function either(texts: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(texts);
}

/** The files whose parts differ, each with its text as it should be. */
export function changedPages(): [file: string, text: string][] {
  return Object.entries(WRITTEN).flatMap(([name, write]): [string, string][] => {
    const file = path.join(ROOT, 'docs', name);
    const before = readFileSync(file, 'utf8');
    const after = write(before);
    return after === before ? [] : [[file, after]];
  });
}

if (import.meta.main) {
  const { write } = argumentsOrExit<{ write: boolean }>(() =>
    new Command('npm run doc-tables --')
      .description('Names the files of docs/ that differ from the declarations.')
      .option('--write', 'write them again', false),
  ).flags;
  for (const [file, text] of changedPages()) {
    console.log(`${write ? 'written' : 'differs'}: ${path.relative(ROOT, file)}`);
    if (write) writeFileSync(file, text);
  }
}
