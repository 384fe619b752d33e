import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConfigurationError } from '../../../lib/config/fault.ts';
import { readConnectors } from '../../../lib/config/read-connectors.ts';
import { mappingText } from '../../../local/start/ocsf-mapping.ts';
import { readRequest, StartFaultsError, type StartRequest } from '../../../local/start/options.ts';
import { compiledFields, WIDE_MAPPING } from '../../ocsf/wide-mapping.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mapping-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const TENANT = { baseUrl: 'https://api.acme.example', authUrl: 'https://login.acme.example' };
const OPTIONS = ['--name', 'acme', '--base-url', TENANT.baseUrl, '--auth-url', TENANT.authUrl, '--client-id', 'c'];

/** The request that a mapping's text makes, with these other options. */
function requestOf(text: string, ...options: string[]): StartRequest {
  const file = join(folder, 'mapping.json');
  writeFileSync(file, text);
  return readRequest([...OPTIONS, '--ocsf-fields', file, ...options], {}, true);
}

function faultsOf(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof StartFaultsError) return error.faults;
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path, reason }) => `${path}: ${reason}`);
  }
  return [];
}

test('a mapping becomes the same setting as in the stack', () => {
  const mapping = { hostname: WIDE_MAPPING.hostname, threats: WIDE_MAPPING.threats };
  const { settings } = requestOf(JSON.stringify(mapping), '--format', 'ocsf');
  expect(JSON.parse(settings['OCSF_FIELDS']!)).toEqual(compiledFields(mapping));
});

const MANY = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`${index}`.repeat(1_000), `device.${index}`]));
const WRONG: readonly (readonly [what: string, mapping: unknown])[] = [
  ['several faults', { a: 'shoe_size', b: 'device', c: 7, d: ['message'], threats: { e: 'time', f: '' } }],
  ['a list', ['message']],
  ['a text', 'device.hostname'],
  ['nothing', null],
  ['an unknown stream', { hosts: { a: 'message' } }],
  ['names that no configuration can carry', JSON.parse('{"__proto__":"message"}')],
  ['attributes that are not there', MANY],
  ['too much for the function', { ['m'.repeat(4_000)]: 'message' }],
];

test.each(WRONG)('%s is refused with every fault that the configuration would report', (_, ocsfFields) => {
  const entry = { name: 'acme', ...TENANT, format: 'ocsf', ocsfFields };
  const configured = faultsOf(() => readConnectors([entry]));
  expect(configured).not.toEqual([]);
  const typed = faultsOf(() => requestOf(JSON.stringify(ocsfFields), '--format', 'ocsf'));
  expect(typed).toEqual(configured.map(fault => fault.replace('connectors[0].', '--ocsf-fields: ')));
});

test.each([
  ['without its format', ['{}'], '--ocsf-fields has no effect without --format ocsf'],
  ['with another format', ['{}', '--format', 'envelope'], '--ocsf-fields has no effect without --format ocsf'],
  ['of a file that is not JSON', ['{"secret"', '--format', 'ocsf'], '--ocsf-fields names a file that is not JSON'],
  [
    'of a missing file',
    ['{}', '--format', 'ocsf', '--ocsf-fields', '/nowhere/mapping.json'],
    '--ocsf-fields names a file that cannot be read (ENOENT)',
  ],
  ['without a file', ['{}', '--format', 'ocsf', '--ocsf-fields'], "option '--ocsf-fields <file>' argument missing"],
] as const)('a mapping %s is refused', (_, [text, ...options], fault) => {
  expect(faultsOf(() => requestOf(text, ...options))).toEqual([fault]);
});

test('the rows of a run are counted for each mapped member, in its stream only', async () => {
  const fields = [{ member: 'host' }, { member: 'host', stream: 'threats' }, { member: 'hots' }];
  const sent = (stream: string, members: object, unmapped: object = {}) =>
    JSON.stringify({ class_uid: 5001, metadata: { log_name: stream }, raw_data: JSON.stringify(members), unmapped });
  const lines = [
    sent('assets', { host: 'a' }),
    sent('assets', { host: 7 }, { host: 7 }),
    sent('threats', { host: 'b' }),
    JSON.stringify({ class_uid: 3004, metadata: { log_name: 'assets' }, raw_data: '{"host":"gone"}' }),
  ];
  expect((await mappingText(fields, lines)).slice(1)).toEqual([
    '  host: 3 rows, 2 with a value that fits the attribute',
    '  threats.host: 1 row',
    '  hots: WARNING, 0 rows. No row has this member. Check its name in the rows',
  ]);
});
