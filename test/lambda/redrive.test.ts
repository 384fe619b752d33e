/** Dead letters tried again at an operator's order, from the bucket to the SIEM. */
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import { type Connector, connector } from './support/connector.ts';
import { putDeadLetter } from './support/put-letter.ts';
import { rejection, wordsOf } from './support/words.ts';

const TITLE = 'canary';

async function lies(each: Connector, Key: string): Promise<boolean> {
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
  each.platform.putAsset({ id: 'a' });
  each.platform.putThreat({ id: 't/1', asset_id: 'a', title: TITLE });
  await each.run();
  return each;
}

async function listRow(each: Connector, id: string): Promise<string> {
  const line = (await each.lines()).find(text => JSON.parse(text).id === id)!;
  return line.slice(line.indexOf(',"row":') + 7, -1);
}

describe('a dead letter that is ordered to be tried again', () => {
  test('is sent, told of and deleted; the next order finds nothing', async () => {
    await using each = await withThreat();
    const before = await newest(each, 't/1');
    const key = await putDeadLetter(each, 'threats/oversize', await listRow(each, 't/1'));
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'sent' }]);
    const after = await newest(each, 't/1');
    expect([after?.['event_id'], after!['sequence']! > before!['sequence']!]).toEqual([before!['event_id'], true]);
    expect(await lies(each, key)).toBe(false);
    expect((await each.run({ redrive: [key] })).letters).toEqual([
      { key, outcome: 'kept', reason: 'it is missing, or the function is not allowed to read it' },
    ]);
    expect(wordsOf(each.logged)).not.toContain('canary');
  });

  test('of a row without a state is held against the single read of its id, whatever the id holds', async () => {
    await using each = await withThreat();
    const row = (await listRow(each, 't/1')).replace('"t/1"', '"t/2"');
    const key = await putDeadLetter(each, 'threats/no-id', row);
    expect((await each.run({ redrive: [key] })).letters).toEqual([
      { key, outcome: 'kept', reason: expect.stringMatching(/does not give the row of its id \(404 .*\)/) },
    ]);
    expect(each.api.seen.some(({ target }) => target === '/v1/threats/t%2F2')).toBe(true);
    expect([await lies(each, key), await newest(each, 't/2')]).toEqual([true, undefined]);
  });

  test('stays when Firehose refuses it, and is sent once Firehose takes it', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'dns-blocks/oversize', '{"id":"late","blocked_at":"2026-11-20T09:00:00Z"}');
    each.aws.faults.always('firehose', { refuse: { status: 400, code: 'InvalidArgumentException', message: 'No.' } });
    expect((await rejection(each.run({ redrive: [key] }))).message).toContain('dns-blocks: DeliveryError');
    expect(await lies(each, key)).toBe(true);
    each.aws.faults.clear();
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'sent' }]);
    expect(await newest(each, 'late')).toMatchObject({ kind: 'dns_block' });
  });

  test('that S3 denies to the function is not reported as missing: it stays, the run succeeds, and the reason names both causes', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'dns-blocks/oversize', '{"id":"late","blocked_at":"2026-11-20T09:00:00Z"}');
    each.aws.faults.next('s3', { refuse: { status: 403, code: 'AccessDenied', message: 'No.' } });
    expect((await each.run({ redrive: [key] })).letters).toEqual([
      { key, outcome: 'kept', reason: 'it is missing, or the function is not allowed to read it' },
    ]);
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'sent' }]);
  });

  test('that S3 does not return for another reason fails the stream, and stays', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'dns-blocks/oversize', '{"id":"late","blocked_at":"2026-11-20T09:00:00Z"}');
    each.aws.faults.next('s3', { refuse: { status: 403, code: 'InvalidObjectState', message: 'No.' } });
    expect((await rejection(each.run({ redrive: [key] }))).message).toContain('RedriveError');
    expect(await lies(each, key)).toBe(true);
  });

  test('that cannot be deleted after it was sent fails the stream, and is known as sent the next time', async () => {
    await using each = await withThreat();
    const key = await putDeadLetter(each, 'threats/no-id', await listRow(each, 't/1'));
    each.aws.faults.next('s3', {}, { refuse: { status: 403, code: 'AccessDenied', message: 'No.' } });
    expect((await rejection(each.run({ redrive: [key] }))).message).toContain('RedriveError');
    expect((await each.run({ redrive: [key] })).letters).toEqual([{ key, outcome: 'known' }]);
    expect(await lies(each, key)).toBe(false);
  });

  test('of another connector is refused before anything is done', async () => {
    await using each = await withThreat();
    each.forget();
    const command = { redrive: ['dead-letter/other/threats/no-id/0a.json'] };
    expect((await rejection(each.run(command))).message).toContain(
      'must be the key of a dead letter of this connector',
    );
    expect(each.calls).toEqual([]);
  });
});
