/**
 * The items of the table as the release before this one wrote them, attribute by attribute. Items outlive a deployment, so this release must
 * read them, and write them so that the other release reads them after a rollback.
 */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import type { Checkpoint, ChildEntry, Intent, ListedRemoval, RowState } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import type { Item, Key } from '../../../lambda/store/item.ts';
import { createLease } from '../../../lambda/store/lease.ts';
import { createChildIndex, createRemovals, createRowStates } from '../../../lambda/store/rows.ts';
import { sha256 } from '../../../lambda/system.ts';
import { awsScene, pass } from '../support/aws-scene.ts';

/** The attribute that says that a resync is repairing the stream. */
const REPAIRING = 'mending';
const SEQUENCE = '00000000070000000012';
const FIRST_SEQUENCE = '00000000010000000001';
const VERSION_TAGS = ['0123456789abcdef01234567', 'fedcba9876543210fedcba98'];

const CHECKPOINT: Item = {
  pk: { S: 'connector' },
  sk: { S: 'checkpoint#assets' },
  cursor: { S: 'c+2' },
  previous: { S: 'c+1' },
  rows_member: { S: 'data' },
  pagination_member: { S: 'page' },
  window: { B: new Uint8Array(Buffer.from(VERSION_TAGS.join(''), 'hex')) },
  generation: { N: '3' },
  settled: { S: SEQUENCE },
  [REPAIRING]: { BOOL: true },
  v: { N: '1' },
  seal: { S: '26c458c6a75f3867' },
  epoch: { N: '7' },
};
const FIRST_CHECKPOINT: Item = {
  pk: { S: 'connector' },
  sk: { S: 'checkpoint#assets' },
  window: { B: new Uint8Array() },
  generation: { N: '0' },
  settled: { S: '' },
  [REPAIRING]: { BOOL: false },
  v: { N: '1' },
  seal: { S: '62f190f642b948a2' },
  epoch: { N: '1' },
};
const INTENTS: Item = {
  pk: { S: 'connector' },
  sk: { S: 'in-flight#assets' },
  batches: { S: ' DCungsl5AQ7aW8JU0r8=\n00000000070000000013 AMY9A301tg==' },
  v: { N: '1' },
  seal: { S: '52bb8ea857edc77e' },
  epoch: { N: '7' },
};
const ROW_STATE: Item = {
  pk: { S: 'row#threats#=t' },
  sk: { S: 'state' },
  digest: { S: '0123456789abcdef0123456789abcdef' },
  forwarded: { S: '2026-11-20T09:15:00.412Z' },
  generation: { N: '3' },
  incarnation: { S: 'fedcba9876543210fedcba9876543210' },
  owner: { S: '"a"' },
  removed: { BOOL: true },
  sequence: { S: SEQUENCE },
  v: { N: '1' },
  seal: { S: 'd4b644da346c7568' },
};
const SHORT_ROW_STATE: Item = {
  pk: { S: 'row#assets#=a' },
  sk: { S: 'state' },
  digest: { S: '0123456789abcdef0123456789abcdef' },
  generation: { N: '0' },
  removed: { BOOL: false },
  sequence: { S: FIRST_SEQUENCE },
  v: { N: '1' },
  seal: { S: '87bf7c1e5223998a' },
};
const CHILD_ENTRY: Item = {
  pk: { S: 'members#threats#=a' },
  sk: { S: '=t' },
  id: { S: '"t"' },
  sequence: { S: SEQUENCE },
  v: { N: '1' },
  seal: { S: 'cc7b3a84194aac56' },
};
const REMOVAL: Item = {
  pk: { S: 'withdrawals#assets' },
  sk: { S: '=a' },
  id: { S: '"a"' },
  deleted_at: { S: '"2026-11-20T09:10:00Z"' },
  position: { S: '"p2"' },
  sequence: { S: SEQUENCE },
  v: { N: '1' },
  seal: { S: '6fa14257275ad0ee' },
};
/** A release before that one recorded no sequence. */
const SHORT_REMOVAL: Item = {
  pk: { S: 'withdrawals#assets' },
  sk: { S: '=b' },
  id: { S: '"b"' },
  v: { N: '1' },
  seal: { S: 'a01822367da8d021' },
};
const LEASE: Item = {
  pk: { S: 'connector' },
  sk: { S: 'lease' },
  epoch: { N: '7' },
  holder: { S: 'run-1' },
  expires: { N: '0' },
  ended: { S: 'cleanly' },
};

/** A table with these items, and what it holds under the key of one. */
async function tableWith(...items: readonly Item[]) {
  const aws = await awsScene();
  const TableName = aws.aws.names.stateTable;
  for (const item of items) await aws.clients.dynamodb.send(new PutItemCommand({ TableName, Item: item }));
  const keyOf = ({ pk, sk }: Item) => ({ pk, sk }) as Key;
  return { ...aws, held: async (item: Item) => (await aws.table.get([keyOf(item)]))[0] };
}

test.each<[string, Item, Checkpoint]>([
  [
    'with every attribute',
    CHECKPOINT,
    {
      cursor: 'c+2',
      previous: 'c+1',
      window: VERSION_TAGS,
      generation: 3,
      names: { rows: 'data', pagination: 'page' },
      committed: SEQUENCE,
      selection: '',
      repairing: true,
    },
  ],
  [
    'without a cursor',
    FIRST_CHECKPOINT,
    {
      cursor: undefined,
      previous: undefined,
      window: [],
      generation: 0,
      names: {},
      committed: '',
      selection: '',
      repairing: false,
    },
  ],
])(
  'a checkpoint of the earlier release %s is read, and written with the same attributes',
  async (_what, item, checkpoint) => {
    await using each = await tableWith(item);
    const checkpoints = createCheckpoints(each.table, sha256);
    expect((await checkpoints.load(['assets'])).get('assets')).toEqual({ checkpoint, intents: [] });
    await checkpoints.save('assets', checkpoint, Number(item['epoch']?.N));
    expect(await each.held(item)).toEqual(item);
  },
);

test('the intents of the earlier release are read, and written with the same attributes', async () => {
  await using each = await tableWith(INTENTS);
  const checkpoints = createCheckpoints(each.table, sha256);
  const intents: Intent[] = [
    { sequence: '', idTags: ['0c2ba782c97901', '0eda5bc254d2bf'] },
    { sequence: '00000000070000000013', idTags: ['00c63d037d35b6'] },
  ];
  expect((await checkpoints.load(['assets'])).get('assets')).toMatchObject({ intents });
  await checkpoints.saveIntents('assets', intents, 7);
  expect(await each.held(INTENTS)).toEqual(INTENTS);
});

test('row states of the earlier release are read, and written with the same attributes', async () => {
  await using each = await tableWith(ROW_STATE, SHORT_ROW_STATE);
  const rowStates = createRowStates(each.table, sha256);
  const full: RowState = {
    rowHash: '0123456789abcdef0123456789abcdef',
    forwardedAt: '2026-11-20T09:15:00.412Z',
    generation: 3,
    removed: true,
    parent: 'a',
    sequence: SEQUENCE,
    revision: 'fedcba9876543210fedcba9876543210',
  };
  const short: RowState = {
    rowHash: full.rowHash,
    forwardedAt: '',
    generation: 0,
    removed: false,
    parent: undefined,
    sequence: FIRST_SEQUENCE,
    revision: '',
  };
  expect(await rowStates.get('threats', ['t'])).toEqual(new Map([['t', full]]));
  expect(await rowStates.get('assets', ['a'])).toEqual(new Map([['a', short]]));
  await rowStates.put('threats', new Map([['t', full]]), pass);
  await rowStates.put('assets', new Map([['a', short]]), pass);
  expect([await each.held(ROW_STATE), await each.held(SHORT_ROW_STATE)]).toEqual([ROW_STATE, SHORT_ROW_STATE]);
});

test('an entry of the child index of the earlier release is read, and written with the same attributes', async () => {
  await using each = await tableWith(CHILD_ENTRY);
  const childIndex = createChildIndex(each.table, sha256);
  const entry: ChildEntry = { parent: 'a', id: 't', sequence: SEQUENCE };
  expect(await childIndex.of('threats', 'a', 10, false)).toEqual([entry]);
  await childIndex.put('threats', [entry], pass);
  expect(await each.held(CHILD_ENTRY)).toEqual(CHILD_ENTRY);
});

test('listed removals of the earlier release are read, and written with the same attributes', async () => {
  await using each = await tableWith(REMOVAL, SHORT_REMOVAL);
  const removals = createRemovals(each.table, sha256);
  const full: ListedRemoval = { id: 'a', deletedAt: '2026-11-20T09:10:00Z', position: '"p2"', sequence: SEQUENCE };
  const short: ListedRemoval = { id: 'b', deletedAt: undefined, position: undefined, sequence: '' };
  expect(await removals.list('assets', false)).toEqual([full, short]);
  await removals.add('assets', [full], pass);
  expect(await each.held(REMOVAL)).toEqual(REMOVAL);
});

test.each([
  ['cleanly', false],
  ['in doubt', true],
  ['no', true],
])(
  'a lease of the earlier release that ended "%s" is taken one epoch later, and written with the same attributes',
  async (ended, dirty) => {
    await using each = await tableWith({ ...LEASE, ended: { S: ended } });
    const lease = await createLease({ table: each.table, clock: each.clock, holder: 'run-2', seconds: 60 }).take();
    expect([lease?.epoch, lease?.dirty]).toEqual([8, dirty]);
    const taken = { epoch: { N: '8' }, holder: { S: 'run-2' }, expires: { N: String(each.clock.now() + 60_000) } };
    expect(await each.held(LEASE)).toEqual({ ...LEASE, ...taken, ended: { S: 'no' } });
    await lease?.release({ clean: true });
    expect(await each.held(LEASE)).toEqual({ ...LEASE, ...taken });
  },
);

test('a stub of the earlier release with nothing but the fence is read as the beginning', async () => {
  const { pk, sk } = CHECKPOINT;
  await using each = await tableWith({ pk: pk!, sk: sk!, epoch: { N: '7' } });
  const [saved] = (await createCheckpoints(each.table, sha256).load(['assets'])).values();
  expect(saved).toMatchObject({ checkpoint: { cursor: undefined, generation: 0 }, intents: [] });
});
