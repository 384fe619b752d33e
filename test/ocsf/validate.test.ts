import { describe, expect, test } from '@jest/globals';
import { filteredWithdrawal } from '../../lambda/core/event.ts';
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
  const faults = ocsfFaults(JSON.stringify(event)).map(fault =>
    fault.replace(/must match pattern .*/s, 'must match pattern'),
  );
  return [...new Set(faults)].sort();
};

test('the events that are broken below are valid before', () => {
  expect([ocsfFaults(finding), ocsfFaults(block)]).toEqual([[], []]);
});

describe('the check of OCSF refuses an event that', () => {
  const additional = (name: string, at = 'the event') => [`${at} must NOT have additional properties: ${name}`];
  const NO_SUCH_TYPE = [
    '/activity_id must be equal to constant',
    '/type_uid must be equal to constant',
    'the event must match a schema in anyOf',
  ];
  const NO_SUCH_CAPTION = [
    '/severity must be equal to constant',
    '/severity_id must be equal to constant',
    'the event must NOT be valid',
    'the event must match a schema in anyOf',
  ];

  test.each<[string, string, unknown, string[]]>([
    ['lacks a required attribute', 'severity_id', undefined, ["the event must have required property 'severity_id'"]],
    ['has an attribute that OCSF does not have', 'shoe_size', 43, additional('shoe_size')],
    ['has one further down', 'finding_info.shoe_size', 43, additional('shoe_size', '/finding_info')],
    ['has an attribute of a profile that it does not apply', 'cloud', { provider: 'a' }, additional('cloud')],
    ['has a deprecated attribute', 'finding_info.product_uid', 'a', additional('product_uid', '/finding_info')],
    ['has a text where a number belongs', 'time', '2026-11-20T09:14:03Z', ['/time must be integer']],
    ['has a caption of another value', 'severity', 'Low', NO_SUCH_CAPTION],
    ['has a type that is not class and activity', 'type_uid', 200402, NO_SUCH_TYPE],
    [
      'has an object without one of the attributes that name it',
      'resources',
      [{ type: 'Asset' }],
      [
        "/resources/0 must have required property 'name'",
        "/resources/0 must have required property 'uid'",
        '/resources/0 must match a schema in anyOf',
      ],
    ],
    ['has an invalid address', 'device', { type_id: 0, ip: 'here' }, ['/device/ip must match pattern']],
    ['has an unmapped that is no object', 'unmapped', [], ['/unmapped must be object']],
  ])('%s', (_, path, value, faults) => {
    expect(broken(finding, set(path, value))).toEqual(faults.toSorted());
  });

  test.each<[string, string, unknown, string[]]>([
    [
      'has no end of the query',
      'src_endpoint',
      undefined,
      [
        "the event must have required property 'dst_endpoint'",
        "the event must have required property 'src_endpoint'",
        'the event must match a schema in anyOf',
      ],
    ],
    [
      'does not say which profile its action is of',
      'metadata.profiles',
      undefined,
      ['action', 'action_id', 'disposition', 'disposition_id'].flatMap(name => additional(name)),
    ],
  ])('of a DNS query %s', (_, path, value, faults) => {
    expect(broken(block, set(path, value))).toEqual(faults.toSorted());
  });

  test('is of a class that the kept part of the schema does not have', () => {
    expect(() => broken(finding, set('class_uid', 1001))).toThrow('The kept part of the schema has no class 1001');
  });
});

test.each([
  ['asset', ASSETS, '{"id":"a","stream_position":"p","name":"x"}'],
  ['threat', THREATS, '{"id":"t","stream_position":7,"asset_id":"a"}'],
  ['threat that does not name its asset', THREATS, '{"id":"t"}'],
])('the event of a filter that excludes this is valid: %s', (_, stream, text) => {
  const event = { row: rowOf(text, stream), stream, sequence, revision: '' };
  const line = format.withdrawn(filteredWithdrawal(event, CONTEXT), CONTEXT);
  expect(ocsfFaults(line)).toEqual([]);
  expect(JSON.parse(line)).toMatchObject({ activity_id: 99, unmapped: { reason: 'filtered' } });
  expect(line).not.toContain('raw_data');
});

test('any member is allowed in unmapped', () => {
  expect(broken(finding, set('unmapped', { constructor: null, a: [1] }))).toEqual([]);
});
