/** `asset`, `threat` and `related`, as an operator types them. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SavedStream } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import { leaseKey, rowKey } from '../../../lambda/store/item.ts';
import { sha256 } from '../../../lambda/system.ts';
import { json, problem } from '../../../local/incidents/tampered-api.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import { START } from '../../lambda/support/stepped-clock.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { DENIED } from '../support/refusals.ts';

const CANARY = 'canary-value';
let each: Deployment;

beforeAll(async () => {
  each = await deployment({}, { aws: { now: () => START } });
  const { platform } = each.connector;
  for (const id of ['a', 'b', 'removed', 'a/ü %?#']) platform.put('assets', { id, name: CANARY, serial: 1 });
  platform.put('threats', { id: 't', asset_id: 'a', title: CANARY });
  platform.put('threats', { id: 'of-removed', asset_id: 'removed' });
  platform.put('assets', { id: 'wide', name: 'x'.repeat(1_100_000) });
  await each.run();
  platform.remove('assets', 'removed');
  await each.run();
  platform.put('assets', { id: 'b', name: CANARY, serial: 2, extra: true });
  platform.put('assets', { id: 'new' });
});

afterAll(async () => {
  await each[Symbol.asyncDispose]();
});

const asked = (...args: string[]) => each.json(args);

describe('asset and threat', () => {
  test('report a row that was sent as same, with the object of its event', async () => {
    const { status, document } = await asked('asset', 'a');
    expect([status, document.result, document.siemIsCurrent]).toEqual([0, 'same', true]);
    expect(document.event).toEqual({
      kind: 'upsert',
      place: expect.stringMatching(/^s3:\/\/security-data\/events\/2026\/11\/20\/12\/.*\.json\.gz$/),
    });
    expect(document.lastSent).toMatchObject({ status: 'live', forwardedAt: '2026-11-20T12:00:00.000Z' });
    expect(JSON.stringify(document)).not.toContain(CANARY);
  });

  test('name the asset of a threat, as the API has it and as it was sent', async () => {
    const { stdout } = await each.ctl(['threat', 't']);
    expect(stdout).toMatch(/^API now: .*, of asset "a"$/m);
    expect(stdout).toMatch(/^Last sent: .*, sequence \d+, of asset "a"$/m);
    expect((await each.ctl(['asset', 'a'])).stdout).toMatch(/^Last sent: .*, sequence \d+$/m);
  });

  test('report a changed row as differs, with names of members, and values only with --show', async () => {
    const plain = await each.ctl(['asset', 'b']);
    expect(plain.status).toBe(3);
    expect(plain.stdout).toMatch(/^assets "b": differs\. /);
    expect(plain.stdout).toMatch(/^Differing: {2}(?=.*"serial")(?=.*"extra")(?=.*"updated_at")/m);
    expect(plain.stdout).not.toContain('"name"');
    expect(plain.stdout).not.toContain(CANARY);
    const { document } = await asked('asset', 'b', '--show');
    expect(document.differing).toContainEqual({ name: 'serial', api: '2', siem: '1' });
    expect(document.differing).toContainEqual({ name: 'extra', api: 'true', siem: null });
    expect([document.api.row, document.event.row]).toEqual([
      expect.stringContaining(CANARY),
      expect.stringContaining(CANARY),
    ]);
  });

  test.each([
    ['asset', 'removed', 'removed', 0],
    ['threat', 'of-removed', 'removed', 0],
    ['asset', 'a/ü %?#', 'same', 0],
    ['asset', 'new', 'never sent', 3],
  ])('%s %s: %s, exit status %i', async (command, id, result, expected) => {
    const { status, document } = await asked(command, id);
    expect([status, document.result, document.id]).toEqual([expected, result, id]);
  });

  test('print terminal escapes in an answer as text, with and without --json', async () => {
    const escapes = '\u001b[2J\u009b31m\u007f';
    const answer = json(200, `{"neighbours":[{"id":"n\u009b31m\u007f"}]}`);
    each.connector.api.tamper(({ target }) => (target.endsWith('/related') ? answer : undefined));
    const [shown, machine, wrong] = await Promise.all([
      each.ctl(['related', 'a', '--show']),
      each.ctl(['related', 'a', '--show', '--json']),
      each.ctl(['asset', `x${escapes}`]),
    ]);
    each.connector.api.tamper();
    const texts = [shown, machine, wrong].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(shown.stdout).toContain('n\\u009b31m\\u007f');
    expect(JSON.parse(machine.stdout).neighbours[0].id).toBe('n\u009b31m\u007f');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(texts.filter(text => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text))).toEqual([]);
  });

  test('show the status of a refusal without interpreting it', async () => {
    const { stdout } = await each.ctl(['asset', 'unknown']);
    expect(stdout).toMatch(/^API now: {4}refused with 404 \(without a known type\)$/m);
    expect(stdout).toMatch(/^Last sent: {2}never$/m);
    each.connector.api.tamper(({ target }) => (target === '/v1/assets/a' ? problem(410, 'asset/merged') : undefined));
    const { status, document } = await asked('asset', 'a');
    each.connector.api.tamper();
    expect([status, document.result, document.api]).toEqual([
      3,
      'sent and gone from the API',
      { kind: 'refused', status: 410 },
    ]);
  });

  test('refuse a row state that another version wrote, and say what to do', async () => {
    const key = rowKey('assets', 'foreign', sha256);
    await each.connector.table.put([{ ...key, digest: { S: 'x' } }], pass);
    const { status, stderr } = await each.ctl(['asset', 'foreign']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('Deploy the version of the connector that wrote it')]);
  });

  test('report an oversize row as too large, from its event or its dead letter', async () => {
    const { status, document } = await asked('asset', 'wide');
    expect([status, document.result, document.event.kind]).toEqual([3, 'too large', 'oversize']);
    each.connector.aws.faults.next('s3', DENIED);
    const blind = await asked('asset', 'wide');
    expect([blind.status, blind.document.result]).toEqual([3, 'too large']);
    expect(blind.document.event.notFound).toContain('could not be read');
  });

  test('report a delivered event that differs from the row state as differs', async () => {
    const { aws, clients } = each.connector;
    const place = (await asked('asset', 'a')).document.event.place as string;
    const object = { Bucket: aws.names.bucket, Key: place.replace(/^s3:..[^/]*./, '') };
    const s3 = await clients.s3();
    const { Body: body } = await s3.send(new GetObjectCommand(object));
    const sent = Buffer.from(await body.transformToByteArray());
    const altered = gunzipSync(sent).toString().replaceAll('"serial":1', '"serial":7');
    await s3.send(new PutObjectCommand({ ...object, Body: gzipSync(altered) }));
    const { status, document } = await asked('asset', 'a');
    await s3.send(new PutObjectCommand({ ...object, Body: sent }));
    expect([status, document.result, document.differing]).toEqual([3, 'differs', [{ name: 'serial' }]]);
  });

  test('report a row that awaits a replay', async () => {
    const checkpoints = createCheckpoints(each.connector.table);
    const { checkpoint } = (await checkpoints.load(['assets'])).streams.get('assets') as SavedStream;
    const [lease] = await each.connector.table.get([leaseKey]);
    const save = (generation: number) =>
      checkpoints.save('assets', { ...checkpoint, generation }, Number(lease!['epoch']!.N));
    await save(checkpoint.generation + 1);
    const { status, document } = await asked('asset', 'a');
    await save(checkpoint.generation);
    expect([status, document.result, document.siemIsCurrent]).toEqual([3, 'awaits a replay', false]);
  });

  test('report a threat of a removed asset as removed, even if a single read returns it', async () => {
    const row = '{"id":"of-removed","asset_id":"removed","updated_at":"2026-11-20T12:00:00Z","stream_position":null}';
    each.connector.api.tamper(({ target }) => (target === '/v1/threats/of-removed' ? json(200, row) : undefined));
    const { status, document } = await asked('threat', 'of-removed');
    each.connector.api.tamper();
    expect([status, document.result, document.api]).toEqual([
      0,
      'removed',
      { kind: 'parent removed', parent: 'removed' },
    ]);
  });

  test('compare a row whose event cannot be found', async () => {
    each.connector.aws.faults.next('s3', DENIED);
    const { status, document } = await asked('asset', 'a');
    expect([status, document.result]).toEqual([0, 'same']);
    expect(document.event.notFound).toContain('the bucket could not be read');
  });

  test.each([
    [['asset', ''], 2, 'An empty id cannot be part of a path'],
    [['threat', '..'], 2, 'The id ".." cannot be part of a path'],
    [['asset', 'a', '--minutes', 'soon'], 2, 'whole number of minutes'],
  ])('%p: exit status %i, %s', async (args, expected, reason) => {
    const { status, stdout, stderr } = await each.ctl(args);
    expect([status, stdout, stderr]).toEqual([expected, '', expect.stringContaining(reason)]);
  });
});

describe('related', () => {
  test('lists the neighbours and whether each was sent, without their rows', async () => {
    const { status, document } = await asked('related', 'a');
    expect(document.id).toBe('a');
    const known = Object.fromEntries(
      document.neighbours.map(({ id, siem }: { id: string; siem: string }) => [id, siem]),
    );
    const unhealthy = Object.values(known).some(siem => siem !== 'sent');
    expect([status, Object.keys(known).length > 0, 'a' in known]).toEqual([unhealthy ? 3 : 0, true, false]);
    expect(known['new'] ?? 'never sent').toBe('never sent');
    expect(JSON.stringify(document)).not.toContain(CANARY);
  });

  test('shows the API’s refusal of an unknown asset', async () => {
    const { status, document } = await asked('related', 'unknown');
    expect([status, document]).toEqual([
      3,
      { id: 'unknown', neighbours: null, api: expect.objectContaining({ status: 404 }) },
    ]);
  });
});
