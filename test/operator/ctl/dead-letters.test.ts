/** What Firehose writes when it gives up, as this project reads it. */
import { describe, expect, test } from '@jest/globals';
import { readObject } from '../../../bin/ctl/bucket.ts';
import { eventsInErrorRecords } from '../../../bin/ctl/commands/dead-letters/error-records.ts';
import type { Context } from '../../../bin/ctl/context.ts';
import { AwsCallError } from '../../../bin/ctl/errors.ts';
import { rejection } from '../../support/function/rejection.ts';

const line = (id: string, connector = 'acme') =>
  `{"event_id":"e","sequence":"${'0'.repeat(20)}","kind":"upsert","stream":"assets","id":"${id}","connector":"${connector}","row":{"id":"${id}"}}`;
const record = (raw: string) =>
  JSON.stringify({
    attemptsMade: 5,
    arrivalTimestamp: 1594265943615,
    errorCode: 'Splunk.AckTimeout',
    rawData: btoa(raw),
  });

describe('the events of an object', () => {
  const events = (content: string) => eventsInErrorRecords(content, 'acme');

  test('the events of a failed delivery are read in the order of its records, even in a backup', () => {
    expect(events(`${record(line('a'))}\n${line('b')}\n`)).toEqual({ lines: [line('a'), line('b')] });
  });

  test.each([
    ['of another connector, which shares the bucket', record(`${line('a')}\n${line('b', 'other')}`), 'connector other'],
    ['with a line that is not a record', `${record(line('a'))}\n{"rawData":7}`, '1 of its lines are not error records'],
    ['with unreadable lines', `${record(line('a'))}\nnoise`, '1 of its lines are not error records'],
    ['without events', record('{"n":1}'), 'not events of this connector'],
    ['with truncated events', record(`${line('a')}\n${line('b').slice(0, 40)}`), 'not events of this connector'],
    ['without content', '', 'it has no event'],
  ])('events in an object %s are not sent again', (_what, content, why) => {
    expect(events(content)).toEqual({ why: expect.stringContaining(why) });
  });
});

test('an object to which S3 denies access is not reported as missing', async () => {
  const cause = Object.assign(new Error('No.'), { name: 'AccessDenied' });
  const aws = { s3: () => ({ send: () => Promise.reject(cause) }) };
  const context = { aws, deployment: async () => ({ bucket: 'b' }) } as unknown as Context;
  const error = await rejection(readObject(context, 'delivery-errors/x'));
  expect(error).toBeInstanceOf(AwsCallError);
  expect(error.message).toMatch(/could not be read: Access denied/);
});
