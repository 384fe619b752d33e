import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cascadedWithdrawal, envelope, MAX_LINE_BYTES, missingWithdrawal } from '../../../../lambda/core/event.ts';
import { rowMembers } from '../../../../lambda/core/json/members.ts';
import { classesOf } from '../../../../lambda/core/ocsf/classes.ts';
import { ocsfFormat } from '../../../../lambda/core/ocsf/format.ts';
import type { Removal } from '../../../../lambda/ports.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import { readOcsf } from '../../../ocsf/validate.ts';
import { compiledFields, WIDE_MAPPING } from '../../../ocsf/wide-mapping.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { json, type Member, memberName, styleOf, write } from '../support/json-text.ts';
import { type AnyStream, ASSETS, CONTEXT, DNS_BLOCKS, readText, rowOf, THREATS } from '../support/streams.ts';

const SEQUENCE = '00000010420000000001';
const FIELDS = compiledFields(WIDE_MAPPING);
const format = ocsfFormat({ parentMember: 'asset_id', fields: FIELDS });
const plain = ocsfFormat({ parentMember: 'asset_id', fields: {} });

const rowEvent = (text: string, stream: AnyStream, known = false) => ({
  row: rowOf(text, stream),
  stream,
  sequence: SEQUENCE,
  revision: '',
  known,
});
const line = (text: string, stream: AnyStream = ASSETS, known = false) =>
  format.row(rowEvent(text, stream, known), CONTEXT);
const event = (text: string, stream: AnyStream = ASSETS, known = false) => readOcsf(line(text, stream, known));
const TOMBSTONE = { id: 'a1', deletedAt: '2026-11-20T09:10:00Z', position: '"p2"' };
const WITHDRAWN = { id: 't1', stream: THREATS, sequence: SEQUENCE };
const withdrawal = (removal: Removal = TOMBSTONE) =>
  readOcsf(format.withdrawn(cascadedWithdrawal({ ...WITHDRAWN, removal }, CONTEXT), CONTEXT));

describe('OCSF: the class and activity of', () => {
  test.each([
    ['an asset', event('{"id":"x"}'), { class_uid: 5001, activity_id: 2, device: { uid: 'x', type_id: 0 } }],
    [
      'a tombstone',
      event('{"id":"x","deleted":true}'),
      { class_uid: 3004, activity_id: 4, entity: { uid: 'x', type_id: 99, type: 'Asset' } },
    ],
    ['a threat', event('{"id":"x"}', THREATS), { class_uid: 2004, activity_id: 1, finding_info: { uid: 'x' } }],
    ['a threat that the SIEM has', event('{"id":"x"}', THREATS, true), { class_uid: 2004, activity_id: 2 }],
    ['an asset that the SIEM has', event('{"id":"x"}', ASSETS, true), { class_uid: 5001, activity_id: 2 }],
    [
      'a withdrawal',
      withdrawal(),
      {
        class_uid: 2004,
        activity_id: 99,
        activity_name: expect.stringMatching(/^Withdrawn$/),
        finding_info: { uid: 't1' },
        resources: [{ uid: 'a1', type: 'Asset' }],
        status_detail: expect.stringMatching(/neither resolved nor closed/),
        unmapped: { stream_position: 'p2' },
      },
    ],
    [
      'a DNS block',
      event('{"id":"x"}', DNS_BLOCKS),
      { class_uid: 4003, activity_id: 1, action_id: 2, disposition_id: 2, src_endpoint: { name: 'unknown' } },
    ],
  ])('OCSF: %s has its class and activity', (_, found, expected) => {
    expect(found).toMatchObject(expected);
  });

  test('OCSF: the withdrawal of a row that the API does not know any more says so', () => {
    const missing = missingWithdrawal({ ...WITHDRAWN, parent: 'a1', revision: 0 }, CONTEXT);
    expect(readOcsf(format.withdrawn(missing, CONTEXT))).toMatchObject({
      class_uid: 2004,
      activity_id: 99,
      status_detail: expect.stringMatching(/does not know/),
      resources: [{ uid: 'a1' }],
      unmapped: { reason: 'not-found' },
    });
  });

  test('OCSF: a withdrawal has no status, because nobody resolved the threat', () => {
    expect(Object.keys(withdrawal())).not.toContain('status_id');
  });
});

describe('OCSF: metadata', () => {
  test('OCSF: metadata.uid is the event_id of the envelope', () => {
    const given = rowEvent('{"id":"x","asset_id":"a"}', THREATS);
    const deadLetter = 's3://dead-letters/x.json';
    const cascaded = cascadedWithdrawal({ ...WITHDRAWN, removal: TOMBSTONE }, CONTEXT);
    const pairs = [
      [format.row(given, CONTEXT), envelope.row(given, CONTEXT)],
      [format.oversize(given, CONTEXT, deadLetter), envelope.oversize(given, CONTEXT, deadLetter)],
      [format.withdrawn(cascaded, CONTEXT), envelope.withdrawn(cascaded, CONTEXT)],
    ];
    for (const [ocsf, own] of pairs) expect(readOcsf(ocsf!).metadata.uid).toBe(JSON.parse(own!).event_id);
  });

  test('OCSF: metadata has the stream, the connector, the id in the source and the time of forwarding', () => {
    expect(event('{"id":"ключ\\"","updated_at":"2026-11-20T09:14:03.123456Z"}').metadata).toMatchObject({
      version: '1.8.0',
      log_name: 'assets',
      tenant_uid: 'acme',
      original_event_uid: 'ключ"',
      original_time: '2026-11-20T09:14:03.123456Z',
      processed_time: Date.parse(CONTEXT.forwardedAt),
    });
  });

  test('OCSF: the sequence is an integer, exact to the last digit in the line', () => {
    const last = { ...rowEvent('{"id":"x"}', ASSETS), sequence: '09223372030000000007' };
    expect(format.row(last, CONTEXT)).toContain('"sequence":9223372030000000007,');
    expect(line('{"id":"x"}')).toContain('"sequence":10420000000001,');
  });
});

describe('OCSF: time', () => {
  test.each([
    ['of the row, in milliseconds', '2026-11-20T09:14:03.1239Z', Date.UTC(2026, 10, 20, 9, 14, 3, 123)],
    ['with an offset', '2026-11-20T09:14:03+01:00', Date.UTC(2026, 10, 20, 8, 14, 3)],
    ['with an offset in short', '2026-11-20T09:14:03+0100', Date.UTC(2026, 10, 20, 8, 14, 3)],
    ['of forwarding where the row has none', '', Date.parse(CONTEXT.forwardedAt)],
    ['on a leap day', '2028-02-29T09:14:03Z', Date.UTC(2028, 1, 29, 9, 14, 3)],
    ['on the last day of a month elsewhere', '2026-10-31T23:30:00-01:00', Date.UTC(2026, 10, 1, 0, 30)],
    ['of forwarding where the row has a 30 February', '2026-02-30T09:14:03Z', Date.parse(CONTEXT.forwardedAt)],
    ['of forwarding where the row has a month of 13', '2026-13-20T09:14:03Z', Date.parse(CONTEXT.forwardedAt)],
  ])('OCSF: the event has the time %s', (_, given, expected) => {
    expect(event(`{"id":"x","updated_at":"${given}"}`)['time']).toBe(expected);
  });

  test('OCSF: the time of a withdrawal is that of the tombstone, or of forwarding', () => {
    expect(withdrawal()['time']).toBe(Date.parse(TOMBSTONE.deletedAt));
    expect(withdrawal({ id: 'a1', deletedAt: undefined, position: undefined })['time']).toBe(
      Date.parse(CONTEXT.forwardedAt),
    );
  });
});

describe('OCSF: members of the row', () => {
  test('OCSF: mapped members become attributes, and the others stay in unmapped under their own names', () => {
    const found = event('{"id":"x","hostname":"web-01","os":"Linux","severity":"high","n":1,"deleted":false}');
    expect(found).toMatchObject({
      device: { uid: 'x', hostname: 'web-01', os: { name: 'Linux', type_id: 0 } },
      severity_id: 4,
      severity: 'High',
    });
    expect(found.unmapped).toEqual({ n: 1, deleted: false });
  });

  test('OCSF: members in unmapped keep every digit, whatever their names', () => {
    const odd = '"n":9007199254740993,"f":1.0,"e":1e400,"z":-0,"__proto__":{"x":1.50},"":"\\u0000","constructor":[]';
    expect(line(`{"id":"x",${odd}}`)).toContain(`"unmapped":{${odd}}`);
  });

  test('OCSF: members of another type, or with a value outside the enum, go to unmapped', () => {
    const found = event('{"id":"x","hostname":7,"severity":"dreadful","ip":"no","cores":1.5,"kind":77}');
    expect(found['device']).toEqual({ uid: 'x', type_id: 0 });
    expect(found['severity_id']).toBe(0);
    expect(found.unmapped).toEqual({ hostname: 7, severity: 'dreadful', ip: 'no', cores: 1.5, kind: 77 });
  });

  test('OCSF: members go to unmapped when their object lacks what OCSF requires of it', () => {
    const found = event('{"id":"x","osBits":64,"type":"A"}');
    expect(found['device']).toEqual({ uid: 'x', type_id: 0 });
    expect(found.unmapped).toEqual({ osBits: 64, type: 'A' });
    expect(event('{"id":"x","type":"A"}', DNS_BLOCKS).unmapped).toEqual({ type: 'A' });
    expect(event('{"id":"x","type":"A","domain":"d.example"}', DNS_BLOCKS)['query']).toEqual({
      type: 'A',
      hostname: 'd.example',
    });
  });

  test('OCSF: members give a DNS block its endpoint where they identify one', () => {
    expect(event('{"id":"x","client":"10.0.0.1","port":53}', DNS_BLOCKS)['src_endpoint']).toEqual({
      ip: '10.0.0.1',
      port: 53,
    });
    expect(event('{"id":"x","port":53}', DNS_BLOCKS)).toMatchObject({
      src_endpoint: { name: 'unknown' },
      unmapped: { port: 53 },
    });
  });

  test('OCSF: a member with an empty name is in unmapped once, whatever else is left out', () => {
    // An object that is left out takes its caption with it, which belongs to no member.
    const fields = compiledFields({ os: 'device.os.name', type: 'device.os.type_id' });
    const line = ocsfFormat({ parentMember: 'asset_id', fields }).row(
      rowEvent('{"id":"x","":7,"type":"Linux"}', ASSETS),
      CONTEXT,
    );
    expect(line).toContain('"unmapped":{"":7,"type":"Linux"}');
  });

  test('OCSF: members with a time stay in unmapped unless the event has that very time', () => {
    const time = '2026-11-20T09:14:03Z';
    expect(event(`{"id":"x","updated_at":"${time}","blocked_at":"${time}"}`).unmapped).toEqual({ blocked_at: time });
    expect(event('{"id":"x","updated_at":"yesterday"}').unmapped).toEqual({ updated_at: 'yesterday' });
    expect(event(`{"id":"x","deleted":true,"deleted_at":"${time}","updated_at":"${time}"}`).unmapped).toEqual({
      deleted: true,
      updated_at: time,
    });
    expect(event(`{"id":"x","deleted":true,"deleted_at":7,"updated_at":"${time}"}`).unmapped).toEqual({
      deleted: true,
      deleted_at: 7,
      updated_at: time,
    });
  });

  test('OCSF: the asset of a threat is its resource, under any name of the member', () => {
    const other = ocsfFormat({ parentMember: 'host', fields: {} });
    const row = rowOf('{"id":"x","host":"a","asset_id":"b"}', THREATS, 'host');
    const found = readOcsf(other.row({ ...rowEvent('{"id":"x"}', THREATS), row }, CONTEXT));
    expect(found).toMatchObject({ resources: [{ uid: 'a', type: 'Asset' }], unmapped: { asset_id: 'b' } });
  });
});

describe('OCSF: size', () => {
  const filled = (bytes: number) => `{"id":"x","text":"${'a'.repeat(bytes)}"}`;

  test('OCSF: a row that does not fit twice loses unmapped, and nothing else', () => {
    const text = filled(600_000);
    const found = event(text);
    expect([found.raw_data, found.unmapped]).toEqual([text, undefined]);
    expect(event(filled(400_000)).unmapped).toBeDefined();
  });

  test('OCSF: a row that does not fit once is left too long, which makes it an oversize event', () => {
    expect(Buffer.byteLength(line(filled(MAX_LINE_BYTES)))).toBeGreaterThan(MAX_LINE_BYTES);
    const given = rowEvent('{"id":"x","stream_position":7,"asset_id":"a"}', THREATS);
    const found = readOcsf(format.oversize(given, CONTEXT, 's3://dead-letters/x.json'));
    expect(found).toMatchObject({
      class_uid: 2004,
      metadata: { is_truncated: true },
      finding_info: { uid: 'x' },
      unmapped: { stream_position: 7, dead_letter: 's3://dead-letters/x.json' },
    });
    expect(found.raw_data).toBeUndefined();
  });

  test('OCSF: an oversize tombstone is still a removal', () => {
    const given = rowEvent('{"id":"x","deleted":true}', ASSETS);
    expect(readOcsf(format.oversize(given, CONTEXT, 's3://a/b'))).toMatchObject({ class_uid: 3004, activity_id: 4 });
  });
});

const MEMBERS = Object.entries(WIDE_MAPPING).flatMap(([name, to]) =>
  typeof to === 'string' ? [name] : Object.keys(to),
);
/** Values that some attribute takes, and values that none takes. */
const likely = fc
  .constantFrom(
    '"High"',
    '"10.0.0.1"',
    '"::1"',
    '"00:11:22:33:44:55"',
    '"a@b.example"',
    '4',
    '99',
    '1.5',
    'true',
    '[]',
    '["a"]',
    '"2026-11-20T09:14:03Z"',
    '"host"',
  )
  .map(raw => ({ raw }));
const member = fc.tuple(fc.oneof(fc.constantFrom(...MEMBERS), memberName), fc.oneof(likely, json));
const envelopeMember = fc.tuple(
  fc.constantFrom('updated_at', 'stream_position', 'deleted', 'deleted_at', 'asset_id', 'blocked_at'),
  fc.oneof(likely, json),
);
const anyRow = fc.tuple(
  fc.string({ minLength: 1, unit: anyCharacter, maxLength: 8 }),
  fc.array(fc.oneof({ arbitrary: member, weight: 5 }, envelopeMember), { maxLength: 14 }),
  fc.nat(),
);

describe.each([
  ['assets', ASSETS],
  ['threats', THREATS],
  ['dns-blocks', DNS_BLOCKS],
] as const)('OCSF: any row of %s', (_, stream) => {
  test.each([
    ['mapped', format],
    ['not mapped', plain],
  ])('OCSF: any row is a valid event that carries its text and loses no member (%s)', (_name, chosen) => {
    fc.assert(
      fc.property(anyRow, fc.boolean(), ([id, members, seed], known) => {
        const all: readonly Member[] = [['id', { string: id }], ...members.filter(([name]) => name !== 'id')];
        const sent = write({ members: all }, styleOf(seed));
        // An asset whose removal cannot be understood is a dead letter.
        fc.pre(!('reason' in readText(sent, stream)));
        const given = rowEvent(sent, stream, known);
        const text = chosen.row(given, CONTEXT);
        const found = readOcsf(text);
        expect(found.raw_data).toBe(given.row.text);
        expect(found.metadata['original_event_uid']).toBe(id);
        const unmapped = text.slice(text.indexOf(',"unmapped":') + 1);
        for (const [name, { value }] of rowMembers(given.row.text))
          if (!isMappedOrEnvelope(name, value, given.row.deleted)) expect(unmapped).toContain(value);
      }),
      { numRuns: 150 },
    );
  });

  function isMappedOrEnvelope(name: string, value: string, deleted: boolean): boolean {
    const isMapped = !deleted && name in (FIELDS[stream.name]?.fields ?? {});
    return isMapped || ['id', 'asset_id', 'updated_at', 'deleted_at', 'blocked_at'].includes(name) || value === '';
  }
});

test('OCSF: a row that comes back after a withdrawal has another id', () => {
  const ids = ['', 'one withdrawal'].map(
    revision => readOcsf(format.row({ ...rowEvent('{"id":"x"}', THREATS), revision }, CONTEXT)).metadata.uid,
  );
  expect(new Set(ids).size).toBe(2);
});

test('OCSF: each class has the name that OCSF gives its number', () => {
  const classes = STREAMS.flatMap(stream => Object.values(classesOf(stream))).filter(each => each?.uid !== undefined);
  const names = Object.fromEntries(classes.map(({ uid, caption }) => [uid, caption]));
  expect(names).toMatchObject({
    2004: 'Detection Finding',
    3004: 'Entity Management',
    4003: 'DNS Activity',
    5001: 'Device Inventory Info',
  });
});
