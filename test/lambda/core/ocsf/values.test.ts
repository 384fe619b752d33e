import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OcsfType } from '../../../../lambda/core/ocsf/attributes.ts';
import { OCSF_TYPES, takeValue } from '../../../../lambda/core/ocsf/values.ts';
import { ocsfSchema } from '../../../../lib/ocsf/schema.ts';
import { json, PLAIN, write } from '../support/json-text.ts';

const take = (type: OcsfType, value: string) => takeValue(value, { to: 'x', type })?.text;

const NAMES = { '0': 'Unknown', '4': 'High', '99': 'Other' };
const named = (value: string) => takeValue(value, { to: 'severity_id', type: 'integer', enum: NAMES });

describe('the values of an attribute', () => {
  test.each<[OcsfType, string[]]>([
    ['string', ['""', '"\\u0000"', '"7"']],
    ['integer', ['0', '-7', '900719925474099312']],
    ['long', ['9007199254740993']],
    ['float', ['1.0', '-0', '1e3', '0.30000000000000004440892098500626']],
    ['boolean', ['true', 'false']],
    ['json', ['null', '{"a":1.0}', '[]', '"x"']],
    ['timestamp', ['1795166043000']],
    ['datetime', ['"2026-11-20T09:14:03.5Z"', '"2026-11-20T09:14:03+01:00"']],
    ['ip', ['"10.0.0.1"', '"::"', '"::1"', '"fe80::1:2"', '"1:2:3:4:5:6:7:8"', '"1::"', '"1:2:3:4:5:6:7::"']],
    ['mac', ['"00:1b:44:11:3A:B7"', '"00-1b-44-11-3A-B7"']],
    ['uuid', ['"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"']],
    ['email', ['"on.call+1@acme.example"']],
    ['bytestring', ['""', '"aGk="']],
    ['subnet', ['"10.0.0.0/8"']],
    ['port', ['0', '53', '65535']],
  ])('an attribute of type %s takes %j as it is written', (type, values) => {
    expect(values.map(value => take(type, value))).toEqual(values);
  });

  test('an attribute of type timestamp takes a time in ISO 8601 as milliseconds', () => {
    expect(take('timestamp', '"2026-11-20T09:14:03.5+0100"')).toBe(String(Date.UTC(2026, 10, 20, 8, 14, 3, 500)));
  });

  test.each<[OcsfType, string[]]>([
    ['string', ['7', 'null', '{}', '[]', 'true']],
    ['integer', ['1.0', '1e3', '"7"', '1234567890123456789']],
    ['float', ['"1"', '1e400', 'null']],
    ['boolean', ['"true"', '1', 'null']],
    ['timestamp', ['"2026-11-20"', '"2026-11-20T09:14:03"', '"2026-13-20T09:14:03Z"', '1.5']],
    ['datetime', ['"2026-11-20"', '7']],
    [
      'ip',
      [
        '"10.0.0.256"',
        '"10.0.0.01"',
        '"010.0.0.1"',
        '"10.0.0"',
        '":::"',
        '"1:2:3:4:5:6:7"',
        '"1:2:3:4:5:6:7:8:9"',
        '"1::2::3"',
        '"g::"',
        '""',
      ],
    ],
    ['mac', ['"00:1b:44:11:3A"', '7']],
    ['email', ['"acme.example"', '"a@b"']],
    ['subnet', [`"${'1'.repeat(43)}"`]],
    ['port', ['-1', '65536', '"53"']],
  ])('an attribute of type %s takes none of %j', (type, values) => {
    expect(values.map(value => take(type, value))).toEqual(values.map(() => undefined));
  });

  test('an attribute with an enum takes its numbers and their captions in any case, and writes the caption beside them', () => {
    expect(['4', '"HIGH"', '"unknown"'].map(named)).toEqual([
      { text: '4', caption: '"High"' },
      { text: '4', caption: '"High"' },
      { text: '0', caption: '"Unknown"' },
    ]);
    expect(['5', '4.0', '"4"', '"dreadful"', 'null', '"toString"', '"__proto__"'].map(named)).toEqual(
      Array.from({ length: 7 }, () => undefined),
    );
  });

  test('an attribute with an enum takes Other without a caption, because that is the word of the source', () => {
    expect(named('99')).toEqual({ text: '99' });
  });

  test('an attribute with an enum of texts takes those texts only', () => {
    const field = { to: 'x', type: 'string', enum: { GET: 'Get' } } as const;
    expect(['"GET"', '"Get"', '7'].map(value => takeValue(value, field)?.text)).toEqual([
      '"GET"',
      undefined,
      undefined,
    ]);
  });

  test('an attribute that is a list takes whole lists, each element of the type', () => {
    const field = { to: 'x', type: 'string', array: true } as const;
    const lists = ['[]', '["a", "]"]', '["a",1]', '"a"', '[["a"]]'];
    expect(lists.map(value => takeValue(value, field)?.text)).toEqual([
      '[]',
      '["a","]"]',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

const texts = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.uuid(),
  fc.emailAddress(),
  fc.base64String(),
  fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  fc.stringMatching(/^[0-9a-f:.]{0,45}$/),
  fc.stringMatching(/^([0-9A-F]{2}[:-]){5}[0-9A-F]{2}$/),
);
const values = fc.oneof(
  texts.map(text => JSON.stringify(text)),
  json.map(value => write(value, PLAIN)),
);

test.each(OCSF_TYPES.filter(type => ocsfSchema().types[`${type}_t`]?.regex !== undefined))(
  'what an attribute of type %s takes fits the pattern and the length that OCSF requires',
  type => {
    const { regex = '', max_len = Number.POSITIVE_INFINITY } = ocsfSchema().types[`${type}_t`]!;
    fc.assert(
      fc.property(values, value => {
        const taken = take(type, value);
        if (taken === undefined) return;
        const text: string = JSON.parse(taken);
        expect(text).toMatch(new RegExp(regex));
        expect(text.length).toBeLessThanOrEqual(max_len);
      }),
      { numRuns: 1_000 },
    );
  },
);
