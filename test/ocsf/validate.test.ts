import { describe, expect, test } from '@jest/globals';
import { ocsfFormat } from '../../lambda/core/ocsf/format.ts';
import { ASSETS, CONTEXT, DNS_BLOCKS, rowOf, THREATS } from '../lambda/core/support/streams.ts';
import { ocsfFaults } from './validate.ts';
import { compiledFields, WIDE_MAPPING } from './wide-mapping.ts';

type Line = Record<string, unknown>;

const format = ocsfFormat({ parentMember: 'asset_id', fields: compiledFields(WIDE_MAPPING) });
const sequence = '00000010420000000001';
const finding = format.row(
  {
    row: rowOf('{"id":"t","asset_id":"a","severity":4,"title":"x","extra":1}', THREATS),
    stream: THREATS,
    sequence,
    revision: '',
    known: false,
  },
  CONTEXT,
);
const block = format.row(
  { row: rowOf('{"id":"d"}', DNS_BLOCKS), stream: DNS_BLOCKS, sequence, revision: '', known: false },
  CONTEXT,
);

/** Sets the attribute at a path, or removes it when the value is undefined. */
const set = (path: string, value: unknown) => (event: Line) => {
  const names = path.split('.');
  const last = names.pop()!;
  let holder = event;
  for (const name of names) holder = holder[name] as Line;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
};

const broken = (line: string, change: (event: Line) => void) => {
  const event = JSON.parse(line) as Line;
  change(event);
  return ocsfFaults(JSON.stringify(event));
};

test('the events that are broken below are valid before', () => {
  expect([ocsfFaults(finding), ocsfFaults(block)]).toEqual([[], []]);
});

describe('the check of OCSF refuses an event that', () => {
  test.each<[string, string, unknown]>([
    ['lacks a required attribute', 'severity_id', undefined],
    ['lacks a required attribute further down', 'finding_info.uid', undefined],
    ['lacks the version of the schema', 'metadata.version', undefined],
    ['has an attribute that OCSF does not have', 'shoe_size', 43],
    ['has one further down', 'finding_info.shoe_size', 43],
    ['has an attribute of another class', 'query', { hostname: 'a' }],
    ['has an attribute of a profile that it does not apply', 'cloud', { provider: 'a' }],
    ['has a deprecated attribute', 'finding_info.product_uid', 'a'],
    ['has a text where a number belongs', 'time', '2026-11-20T09:14:03Z'],
    ['has a number where a text belongs', 'finding_info.title', 7],
    ['has a fraction where a whole number belongs', 'risk_score', 1.5],
    ['has a value that is not of the enum', 'severity_id', 7],
    ['has a caption of another value', 'severity', 'Low'],
    ['has a type that is not class and activity', 'type_uid', 200402],
    ['has a type of another class', 'type_uid', 500102],
    ['has an activity that the class does not have', 'activity_id', 4],
    ['has an object without one of the attributes that name it', 'resources', [{ type: 'Asset' }]],
    ['has an object where a list of objects belongs', 'resources', { uid: 'a' }],
    ['has an address that is none', 'device', { type_id: 0, ip: 'here' }],
    ['has an unmapped that is no object', 'unmapped', []],
  ])('%s', (_, path, value) => {
    expect(broken(finding, set(path, value))).not.toEqual([]);
  });

  test.each<[string, string, unknown]>([
    ['has no end of the query', 'src_endpoint', undefined],
    ['has an end of the query without a name', 'src_endpoint', { port: 53 }],
    ['has a port beyond 65535', 'src_endpoint', { name: 'a', port: 65536 }],
    ['does not say which profile its action is of', 'metadata.profiles', undefined],
    ['has a query without its host', 'query', { type: 'A' }],
  ])('of a DNS query %s', (_, path, value) => {
    expect(broken(block, set(path, value))).not.toEqual([]);
  });

  test('is of a class that the kept part of the schema does not have', () => {
    expect(() => broken(finding, set('class_uid', 1001))).toThrow();
  });
});

test.each([
  ['asset', ASSETS, '{"id":"a","stream_position":"p","name":"x"}'],
  ['threat', THREATS, '{"id":"t","stream_position":7,"asset_id":"a"}'],
  ['threat that does not name its asset', THREATS, '{"id":"t"}'],
])('the event of a filter that excludes this is valid: %s', (_, stream, text) => {
  const event = { row: rowOf(text, stream), stream, sequence, revision: '', known: true };
  const line = format.filtered(event, CONTEXT);
  expect(ocsfFaults(line)).toEqual([]);
  expect(JSON.parse(line)).toMatchObject({ activity_id: 99, unmapped: { reason: 'filtered' } });
  expect(line).not.toContain('raw_data');
});

test('any member is allowed in unmapped', () => {
  expect(broken(finding, set('unmapped', { constructor: null, a: [1] }))).toEqual([]);
});
