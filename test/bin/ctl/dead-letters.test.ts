/** What Firehose writes when it gives up, as this project reads it. */
import { describe, expect, test } from '@jest/globals';
import { readObject } from '../../../bin/ctl/bucket.ts';
import { eventsOf, readErrorObject, readErrorRecord } from '../../../bin/ctl/commands/dead-letters/error-records.ts';
import type { Context } from '../../../bin/ctl/context.ts';
import { AwsCallError } from '../../../bin/ctl/errors.ts';
import { rejection } from '../../lambda/support/rejection.ts';

const line = (id: string, connector = 'acme') =>
  `{"event_id":"e","sequence":"${'0'.repeat(20)}","kind":"upsert","stream":"assets","id":"${id}","connector":"${connector}","row":{"id":"${id}"}}`;
const record = (raw: string, members: object = { errorCode: 'Splunk.AckTimeout', errorMessage: 'No ack.' }) =>
  JSON.stringify({ attemptsMade: 5, arrivalTimestamp: 1594265943615, ...members, rawData: btoa(raw) });

describe('a record', () => {
  test.each([
    ['of today', { errorCode: 'A.B', errorMessage: 'C' }],
    ['of a format conversion', { ErrorCode: 'A.B', ErrorMessage: 'C' }],
    ['of earlier days', { lastErrorCode: 'A.B', lastErrorMessage: 'C' }],
  ])('%s is read with its reason, and its events are taken out of it', (_when, members) => {
    expect(readErrorRecord(record(`${line('a')}\n${line('b')}\n`, members))).toEqual({
      code: 'A.B',
      message: 'C',
      arrived: 1594265943615,
      lines: [line('a'), line('b')],
    });
  });

  test('without times or a reason is read all the same', () => {
    const bare = readErrorRecord(JSON.stringify({ rawData: btoa(line('a')), arrivalTimestamp: 'soon' }));
    expect(bare).toEqual({ code: '', message: '', arrived: undefined, lines: [line('a')] });
  });

  test.each(['', '{}', '[]', 'text', '{"rawData":7}'])('is not %p', text => {
    expect(readErrorRecord(text)).toBeUndefined();
  });
});

describe('the events of an object', () => {
  const events = (content: string) => eventsOf(readErrorObject(content), 'acme');

  test('are those of its records in order, also in a backup', () => {
    expect(events(`${record(line('a'))}\n${line('b')}\n`)).toEqual({ lines: [line('a'), line('b')] });
  });

  test.each([
    ['of another connector, which shares the bucket', record(`${line('a')}\n${line('b', 'other')}`), 'connector other'],
    ['with unreadable lines', `${record(line('a'))}\nnoise`, '1 of its lines are not error records'],
    ['without events', record('{"n":1}'), 'not events of this connector'],
    ['that are truncated', record(`${line('a')}\n${line('b').slice(0, 40)}`), 'not events of this connector'],
    ['of nothing', '', 'it has no event'],
  ])('%s are not sent again', (_what, content, why) => {
    expect(events(content)).toEqual({ why: expect.stringContaining(why) });
  });
});

describe('a dead-letter object', () => {
  const failing = (name: string) => {
    const cause = Object.assign(new Error('No.'), { name });
    const aws = { s3: () => ({ send: () => Promise.reject(cause) }) };
    return { aws, deployment: async () => ({ bucket: 'b' }) } as unknown as Context;
  };

  test('that S3 denies is not reported as missing: the message names the permission', async () => {
    const error = await rejection(readObject(failing('AccessDenied'), 'dead-letter/acme/x.json'));
    expect(error).toBeInstanceOf(AwsCallError);
    expect(error.message).toMatch(/could not be read: Access denied[\s\S]*You need s3:GetObject/);
  });
});
