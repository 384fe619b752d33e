import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import type { Truth } from '../../../local/api-simulator/truth.ts';
import { code, page } from '../../documents/pages.ts';
import { envelope } from '../../local/query/support/event-lines.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { unlikeTruth } from '../../support/promise.ts';
import { ask, copyIn, rowsOf } from '../../support/reader-copy.ts';
import { shuffled, shuffledTwice } from '../siems/support/corpus.ts';
import { exampleTenant } from '../siems/support/tenant.ts';
import { type ReaderScene, readerScene, runReader } from './support/reader-scene.ts';

/** One of each kind, and others at random. CI has fewer of these. */
const KILLS = Number(process.env['READER_KILLS'] ?? 50);
/** Each waits a second for its queue to stay empty. */
const TRIALS_AT_A_TIME = 4;
const LINES_OF_AN_OBJECT = 12;
const SEED = Number(process.env['READER_SEED'] ?? Date.now() % 1_000_000);

/**
 * Rows that a reader in Python splits, rounds or refuses, in addition to those of the example
 * tenant.
 */
const BREAKERS = [
  '{"id":"separators","text":"a\u2028b\u2029c\u0085d"}',
  '{"id":"carriage-return","text":1,\r"more":2}',
  `{"id":"digits","integer":9007199254740993,"fraction":1.0,"long":${'9'.repeat(5_000)}}`,
];

/**
 * Rows that no event carries: one with an id that is too long, and one that is too large for a
 * line.
 */
const WITHOUT_ROW = /^assets (i{40000}|too-large) /;

let scene: ReaderScene;
let truth: Truth;
/** The notifications of every object that was delivered. */
let notifications: string[];

beforeAll(async () => {
  console.log(`READER_SEED=${SEED}`);
  scene = await readerScene();
  const tenant = await exampleTenant(BREAKERS);
  truth = tenant.truth;
  const lines = shuffledTwice([...tenant.lines, ...tenant.others], createRandom(SEED));
  for (let at = 0; at < lines.length; at += LINES_OF_AN_OBJECT) {
    const text = lines
      .slice(at, at + LINES_OF_AN_OBJECT)
      .map(line => `${line}\n`)
      .join('');
    // S3 writes keys as in a query: a plus, a space and a percent sign must be decoded.
    await scene.put(`events/2026/11/20/12/a+b c%2Bé ${at}.json.gz`, at % 24 === 0 ? gzipSync(text) : text);
  }
  notifications = await scene.notifications();
});

test('a reader of the queue stores exactly the rows of the API, to the last digit', async () => {
  await using folder = await temporaryFolder('reader-');
  const database = join(folder.path, 'events.db');
  const queue = await scene.queue(notifications);
  expect(await runReader(queue, database)).toMatchObject({ status: 0, stderr: '' });
  expect(rowsOf(database).length).toBeGreaterThan(100);
  expect(breaches(database)).toEqual([]);
  expect(await scene.waiting(queue)).toBe(0);
});

test(`a reader that is killed at any of ${KILLS} steps neither loses nor revives a row`, async () => {
  await using folder = await temporaryFolder('reader-');
  const whole = await runReader(await scene.queue(notifications), join(folder.path, 'whole.db'));
  const steps: string[] = JSON.parse(whole.stdout);
  const random = createRandom(SEED);
  const points = killPoints(steps, random);
  expect(new Set(points).size).toBe(KILLS);
  const trials = points.map(point => ({ point, messages: shuffled(notifications, random) }));
  const worker = async () => {
    for (let trial = trials.pop(); trial; trial = trials.pop()) {
      const { point, messages } = trial;
      const database = join(folder.path, `${point}.db`);
      const queue = await scene.queue(messages);
      const at = `step ${point}, ${steps[point - 1]}`;
      expect([at, (await runReader(queue, database, point)).status]).toEqual([at, 'SIGKILL']);
      expect([at, await runReader(queue, database)]).toMatchObject([at, { status: 0, stderr: '' }]);
      expect([at, breaches(database), await scene.waiting(queue)]).toEqual([at, [], 0]);
    }
  };
  await Promise.all(Array.from({ length: TRIALS_AT_A_TIME }, worker));
});

test('a missing or damaged object is reported, stays in the queue, and does not stop other objects', async () => {
  await using folder = await temporaryFolder('reader-');
  const database = join(folder.path, 'events.db');
  const line = (id: string) => envelope({ sequence: 1, id, row: `{"id":"${id}","text":"canary"}` });
  const packed = gzipSync(`${line('cut')}\n${line('off')}\n`);
  const broken = gzipSync(`${line('broken')}\n`);
  broken[broken.length - 6]! ^= 1;
  const own = await sceneOf({
    'events/cut.json.gz': packed.subarray(0, packed.length - 12),
    'events/broken.json.gz': broken,
    'events/line.json.gz': Buffer.from(
      [line('before'), '{"canary', '"\u00ff"', '7', line('behind'), ''].join('\n'),
      'latin1',
    ),
    'events/later.json.gz': `${line('later').replace('"upsert"', '"of-a-later-release"')}\n${line('known')}\n`,
    'events/half.json.gz': `${line('half').replace('"id":"half"', '"id":"\\ud800"')}\n`,
    'delivery-errors/events/error.json.gz': '{"canary":1}\n',
    'dead-letter/acme/assets/1.json': '{"canary":1}',
    'events/good.json.gz': `${line('good')}\n`,
  });
  const messages = await own.notifications();
  // The first message of a bucket is a test.
  expect(messages.some(each => each.includes('s3:TestEvent'))).toBe(true);
  const [some = ''] = messages.filter(each => each.includes('good'));
  const queue = await own.queue([...messages, some.replace('good', 'gone'), 'no notification']);
  const { status, stderr } = await runReader(queue, database);
  expect(status).toBe(0);
  // What stays in the queue is received again before the reader ends.
  expect([...new Set(stderr.trim().split('\n'))].toSorted()).toEqual([
    'events/broken.json.gz: BadGzipFile',
    'events/cut.json.gz: EOFError',
    'events/gone.json.gz: NoSuchKey',
    'events/later.json.gz: 1 left out, of a format, stream or kind that this reader does not know',
    'events/line.json.gz, line 2: not an event',
    'events/line.json.gz, line 3: not an event',
    'events/line.json.gz, line 4: not an event',
    expect.stringMatching(/^message \S+: no notification of S3$/),
  ]);
  expect(rowsOf(database).map(({ id }) => id)).toEqual(['\\ud800', 'before', 'behind', 'good', 'known']);
  expect(await own.waiting(queue)).toBe(5);
});

test('the queries in the README of the reader run, and the age query finds old assets', async () => {
  await using folder = await temporaryFolder('reader-');
  const database = join(folder.path, 'events.db');
  const row = (id: string, days: number) => {
    const time = new Date(Date.now() - days * 86_400_000).toISOString();
    return { id, row: `{"id":"${id}","updated_at":"${time}","asset_id":"old"}` };
  };
  const lines = [
    envelope({ ...row('old', 31), sequence: 1 }),
    envelope({ ...row('new', 29), sequence: 2 }),
    envelope({ ...row('gone', 31), sequence: 3, kind: 'tombstone' }),
    envelope({ ...row('threat', 31), sequence: 4, stream: 'threats' }),
  ];
  const own = await sceneOf({ 'events/one.json.gz': `${lines.join('\n')}\n` });
  await runReader(await own.queue(await own.notifications()), database);
  const answers = code(page('examples/reader/README.md'), 'sql').map(sql => ask(database, sql));
  expect(answers).toMatchObject([
    [{ stream: 'assets', 'count(*)': 2 }, { stream: 'threats' }],
    [{ id: 'old' }],
    [{ id: 'threat', row: expect.stringContaining('"id":"old"') }],
  ]);
});

async function sceneOf(objects: Readonly<Record<string, Uint8Array | string>>): Promise<ReaderScene> {
  const own = await readerScene();
  for (const [key, body] of Object.entries(objects)) await own.put(key, body);
  return own;
}

/** One step of each name, then others at random. */
function killPoints(steps: readonly string[], random: () => number): number[] {
  const all = steps.map((_, index) => index + 1);
  const first = [...new Set(steps)].map(name => steps.indexOf(name) + 1);
  const others = all.filter(point => !first.includes(point));
  return [...first, ...shuffled(others, random).slice(0, Math.max(0, KILLS - first.length))];
}

function breaches(database: string): string[] {
  return unlikeTruth(copyIn(database), truth).filter(breach => !WITHOUT_ROW.test(breach));
}
