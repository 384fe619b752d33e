import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { commandLine } from '../../bin/ctl/command-line.ts';
import { CONNECTOR_METRICS, CONNECTOR_PROPERTIES, STREAM_METRICS, STREAM_PROPERTIES } from '../../lambda/metrics.ts';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { code, onPages, PAGES, page, ROOT, section } from './pages.ts';
import { OUTPUTS } from './stack-facts.ts';

const runbook = page('docs/runbook.md');

test.each(ALARMS.map(({ name, first }) => [name, first]))(
  'the section of %s begins with the first command of its alarm: %s',
  (name, first) => {
    const command = /connectorctl ((?:dead-letters )?[a-z]+)/;
    expect(command.exec(section(runbook, `## ${name}`))?.[1]).toBe(first);
  },
);

test('the runbook lists each alarm under its severity', () => {
  const listed = (severity: string) => {
    const [paragraph = ''] = new RegExp(`^\\*\\*${severity}\\*\\*: [\\s\\S]*?\\n\\n`, 'm').exec(runbook) ?? [];
    return [...paragraph.matchAll(/\(#([a-z-]+)\)/g)].map(([, name]) => name).sort();
  };
  const named = (severity: string) =>
    ALARMS.filter(alarm => alarm.severity === severity)
      .map(({ name }) => name)
      .sort();

  expect(listed('Critical')).toEqual(named('critical'));
  expect(listed('Warning')).toEqual(named('warning'));
});

test('the commands of the runbook have a syntax that a shell accepts', () => {
  const input = code(runbook, 'sh').join('\n');
  const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the figures that the runbook names are written to the log of the function', () => {
  const [, ...sections] = runbook.split('\n## ');
  const named = [...sections.join('\n## ').matchAll(/`([A-Z][a-z]+[A-Z]\w+)`/g)].map(match => match[1]!);
  const others = /Error$|^Concurrent|^Throttle|ThrottleEvents$/;
  const figures = named.filter(name => !others.test(name) && !OUTPUTS.has(name));
  const logged = { ...STREAM_METRICS, ...STREAM_PROPERTIES, ...CONNECTOR_METRICS, ...CONNECTOR_PROPERTIES };
  expect(figures.length).toBeGreaterThan(5);
  expect(figures.filter(name => !(name in logged))).toEqual([]);
});

describe('the command line', () => {
  test('the command line accepts every command and argument that a page names', () => {
    // The changelog names commands that are gone.
    const typed = PAGES.filter(name => name !== 'CHANGELOG.md').flatMap(name => typedIn(page(name)));
    expect(typed.length).toBeGreaterThan(60);
    expect(typed.flatMap(words => refusal(words))).toEqual([]);
  });

  test('docs/cli.md names every command', () => {
    const names = PROGRAM.commands.map(command => command.name()).filter(name => name !== 'help');
    const text = section(page('docs/cli.md'), '## Commands');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter(name => !text.includes(`\`${name}`))).toEqual([]);
  });
});

const PROGRAM = await commandLine(() => async () => undefined);

/** What pages name behind `connectorctl`, in code. */
function typedIn(text: string): string[][] {
  const inline = text.matchAll(/`(?:npm run |npx --no -- )?connectorctl (?:-- )?([^`\n|<]+)`/g);
  const lines = text.matchAll(/^ *(?:npm run |npx --no -- )?connectorctl (?:-- )?([^`\n#|"<]+)$/gm);
  return [...inline, ...lines].map(match => match[1]!.trim().split(/\s+/)).filter(([word]) => !/^(help|-)/.test(word!));
}

/** Why the program refuses the words. Empty when it accepts them. */
function refusal([name = '', ...words]: readonly string[], among: Command = PROGRAM): string[] {
  const command = among.commands.find(each => each.name() === name);
  if (!command) return [`${name}: no such command`];
  if (command.commands.length > 0) return refusal(words, command);
  const options = [...command.options, ...PROGRAM.options].map(option => option.long);
  const withValue = [...command.options, ...PROGRAM.options].filter(each => each.required).map(({ long }) => long);
  const isValue = (at: number) => withValue.includes(words[at - 1] ?? '');
  const unknown = words.filter(word => word.startsWith('--') && !options.includes(word));
  const choices = command.registeredArguments.flatMap(argument => argument.argChoices ?? []);
  const wrong =
    choices.length === 0
      ? []
      : words.filter((word, at) => !word.startsWith('-') && !isValue(at) && !choices.includes(word));
  return [...unknown, ...wrong].map(word => `${name}: ${word}`);
}

test('every error that a page names is an error of the function', () => {
  const thrown = globSync('lambda/**/*.ts', { cwd: ROOT }).flatMap(file => [
    ...page(file).matchAll(/export class (\w+Error) /g),
  ]);
  const known = new Set(thrown.map(match => match[1]));
  const named = onPages(/\b[A-Z][a-z]\w*Error\b/g);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ found }) => !known.has(found))).toEqual([]);
});

const LIKE_AN_OUTPUT =
  /\b(?:(?:Siem|Fill|Query|Schedule|Connector)[A-Z]\w+(?:Name|Arn|Url|Prefix|Version)|(?:Bucket|StateTable|Function|LogGroup|AlarmTopic|Dashboard|DeliveryStream)(?:Name|Arn))\b/g;

test('every output that a page names is an output of the stack', () => {
  const named = [...onPages(LIKE_AN_OUTPUT), ...onPages(/\boutput ([A-Z]\w+)/g, ['docs/runbook.md'])];
  expect(named.length).toBeGreaterThan(24);
  expect(named.filter(({ found }) => !OUTPUTS.has(found))).toEqual([]);
});
