/** The way of a dead letter that an operator's command tries again, from the bucket to the SIEM. */
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import { type Connector, connector, putDeadLetter } from './support/connector.ts';
import { rejection, wordsOf } from './support/rejection.ts';

const TITLE = 'canary';

async function isStored(each: Connector, Key: string): Promise<boolean> {
  const command = new GetObjectCommand({ Bucket: each.aws.names.deadLetterBucket, Key });
  return (await each.clients.s3()).send(command).then(
    () => true,
    () => false,
  );
}

/** The newest event of an id, with its row's text. */
async function newest(each: Connector, id: string): Promise<Record<string, unknown> | undefined> {
  const events = (await each.lines()).map(line => JSON.parse(line)).filter(event => event.id === id);
  return events.sort((one, other) => (one.sequence < other.sequence ? 1 : -1))[0];
}

async function withThreat(): Promise<Connector> {
  const each = await connector();
  each.platform.put('assets', { id: 'a' });
  each.platform.put('threats', { id: 't/1', asset_id: 'a', title: TITLE });
  await each.run();
  return each;
}

async function listRow(each: Connector, id: string): Promise<string> {
  const line = (await each.lines()).find(text => JSON.parse(text).id === id)!;
  return line.slice(line.indexOf(',"row":') + 7, -1);
}

describe('a dead letter that is redriven', () => {
  test('a redriven dead letter is sent, reported and deleted, and the next redrive finds nothing', async () => {
    await using each = await withThreat();
    const before = await newest(each, 't/1');
    const key = await putDeadLetter(each, 'threats/oversize', await listRow(each, 't/1'));
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'sent' }]);
    const after = await newest(each, 't/1');
    expect([after?.['event_id'], after!['sequence']! > before!['sequence']!]).toEqual([before!['event_id'], true]);
    expect(await isStored(each, key)).toBe(false);
    expect((await each.run({ redrive: [key] })).letters).toEqual([
      { key, outcome: 'kept', reason: expect.stringMatching(/missing.*not allowed/) },
    ]);
    expect(wordsOf(each.logged)).not.toContain('canary');
  });

  test('a redriven row without a state is compared with the single read of its id, whatever the id holds', async () => {
    await using each = await withThreat();
    const row = (await listRow(each, 't/1')).replace('"t/1"', '"t/2"');
    const key = await putDeadLetter(each, 'threats/no-id', row);
    expect((await each.run({ redrive: [key] })).letters).toEqual([
      { key, outcome: 'kept', reason: expect.stringContaining('404') },
    ]);
    expect(each.api.seen.some(({ target }) => target === '/v1/threats/t%2F2')).toBe(true);
    expect([await isStored(each, key), await newest(each, 't/2')]).toEqual([true, undefined]);
  });

  test('a redriven dead letter is kept when Firehose refuses it, and is sent once Firehose accepts it', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'dns-blocks/oversize', '{"id":"late","blocked_at":"2026-11-20T09:00:00Z"}');
    each.aws.faults.always('firehose', { refuse: { status: 400, code: 'InvalidArgumentException', message: 'No.' } });
    expect((await rejection(each.run({ redrive: [key] }))).message).toContain('dns-blocks: DeliveryError');
    expect(await isStored(each, key)).toBe(true);
    each.aws.faults.clear();
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'sent' }]);
    expect(await newest(each, 'late')).toMatchObject({ kind: 'dns_block' });
  });

  test('a dead letter that S3 denies to the function is kept, the run succeeds, and the reason names both possible causes', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'dns-blocks/oversize', '{"id":"late","blocked_at":"2026-11-20T09:00:00Z"}');
    each.aws.faults.next('s3', { refuse: { status: 403, code: 'AccessDenied', message: 'No.' } });
    expect((await each.run({ redrive: [key] })).letters).toEqual([
      { key, outcome: 'kept', reason: expect.stringMatching(/missing.*not allowed/) },
    ]);
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'sent' }]);
  });

  test('a dead letter that S3 does not return for another reason fails the stream, and is kept', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'dns-blocks/oversize', '{"id":"late","blocked_at":"2026-11-20T09:00:00Z"}');
    each.aws.faults.next('s3', { refuse: { status: 403, code: 'InvalidObjectState', message: 'No.' } });
    expect((await rejection(each.run({ redrive: [key] }))).message).toContain('RedriveError');
    expect(await isStored(each, key)).toBe(true);
  });

  test('a dead letter that cannot be deleted after it was sent fails the stream, and is known the next time', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'threats/no-id', await listRow(each, 't/1'));
    each.aws.faults.next('s3', {}, { refuse: { status: 403, code: 'AccessDenied', message: 'No.' } });
    expect((await rejection(each.run({ redrive: [key] }))).message).toContain('RedriveError');
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'known' }]);
    expect(await isStored(each, key)).toBe(false);
  });

  test('a dead letter of another connector is refused before anything is done', async () => {
    await using each = await withThreat();
    each.forget();
    const command = { redrive: ['dead-letter/other/threats/no-id/0a.json'] };
    expect((await rejection(each.run(command))).name).toBe('CommandError');
    expect(each.calls).toEqual([]);
  });
});
