/**
 * The items of the table, attribute by attribute. Items outlive a deployment: what this version writes, the next one must read, and after a
 * rollback the other way round. A change here needs another `v`.
 */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { StateVersionError } from '../../../lambda/core/errors.ts';
import type { Checkpoint, ChildEntry, Intent, ListedRemoval, RowState } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import type { Item, Key } from '../../../lambda/store/item.ts';
import { createLease } from '../../../lambda/store/lease.ts';
import { createChildIndex, createRemovals, createRowStates } from '../../../lambda/store/rows.ts';
import { sha256 } from '../../../lambda/system.ts';
import { awsScene, pass } from '../support/aws-scene.ts';
import { rejection } from '../support/rejection.ts';

const SEQUENCE = '00000000070000000012';
const VERSION_TAGS = ['0123456789abcdef01234567', 'fedcba9876543210fedcba98'];
const V = { v: { N: '1' } };
const EPOCH = { epoch: { N: '7' } };

const CHECKPOINT: Checkpoint = {
  cursor: 'c+2',
  previous: 'c+1',
  window: VERSION_TAGS,
  generation: 3,
  names: { rows: 'data', pagination: 'page' },
  committed: SEQUENCE,
  selection: 'f1f2f3',
  selections: 2,
  refresh: { cursor: 'r+1', started: 1_795_262_400_000, rows: 40, lastRows: 100, pages: 5, mark: 'd4' },
};
const SHORT_CHECKPOINT: Checkpoint = {
  cursor: undefined,
  previous: undefined,
  window: [],
  generation: 0,
  names: { rows: undefined, pagination: undefined },
  committed: '',
  selection: '',
  selections: 0,
  refresh: undefined,
};
const FIRST_PASS: Checkpoint = {
  ...SHORT_CHECKPOINT,
  refresh: { cursor: undefined, started: 1_795_262_400_000, rows: 0, lastRows: undefined },
};
const INTENTS: readonly Intent[] = [
  {
    first: '00000000060000000001',
    sequence: '',
    idTags: ['0c2ba782c97901', '0eda5bc254d2bf'],
    goneTags: ['0eda5bc254d2bf'],
  },
  { first: '00000000070000000012', sequence: '00000000070000000013', idTags: ['00c63d037d35b6'], goneTags: [] },
];
const STATE: RowState = {
  status: 'removed',
  rowHash: '0123456789abcdef0123456789abcdef',
  generation: 3,
  parent: 'a',
  sequence: SEQUENCE,
  forwardedAt: '2026-11-20T09:15:00.412Z',
  revision: 2,
};
const SHORT_STATE: RowState = { ...STATE, status: 'withheld', rowHash: '', parent: undefined, revision: 0 };
const CHILD: ChildEntry = { parent: 'a', id: 't', sequence: SEQUENCE };
const REMOVAL: ListedRemoval = { id: 'a', deletedAt: '2026-11-20T09:10:00Z', position: '"p2"', sequence: SEQUENCE };
const SHORT_REMOVAL: ListedRemoval = { id: 'a', deletedAt: undefined, position: undefined, sequence: SEQUENCE };

async function scene() {
  const aws = await awsScene();
  const checkpoints = createCheckpoints(aws.table);
  const rowStates = createRowStates(aws.table, sha256);
  const childIndex = createChildIndex(aws.table, sha256);
  const removals = createRemovals(aws.table, sha256);
  return {
    ...aws,
    checkpoints,
    rowStates,
    childIndex,
    removals,
    /** Fails with the error that fails the stream. */
    load: async () => {
      const { streams } = await checkpoints.load(['assets']);
      const saved = streams.get('assets')!;
      if (saved instanceof Error) throw saved;
      return saved;
    },
    held: async ({ pk, sk }: Item) => (await aws.table.get([{ pk, sk } as Key]))[0],
    put: (item: Item) =>
      aws.clients.dynamodb.send(new PutItemCommand({ TableName: aws.aws.names.stateTable, Item: item })),
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

interface Contract {
  readonly item: Item;
  readonly write: (each: Scene) => Promise<void>;
  readonly read: (each: Scene) => Promise<unknown>;
  /** What is read. */
  readonly value: unknown;
}

const checkpoint = (value: Checkpoint, attributes: Item): Contract => ({
  item: { pk: { S: 'connector' }, sk: { S: 'checkpoint#assets' }, ...attributes, ...V, ...EPOCH },
  write: ({ checkpoints }) => checkpoints.save('assets', value, 7),
  read: async ({ load }) => (await load()).checkpoint,
  value,
});
const rowState = (value: RowState, attributes: Item): Contract => ({
  item: { pk: { S: 'row#threats#=t' }, sk: { S: 'state' }, ...attributes, ...V },
  write: ({ rowStates }) => rowStates.put('threats', new Map([['t', value]]), pass),
  read: async ({ rowStates }) => (await rowStates.get('threats', ['t'])).get('t'),
  value,
});
const removal = (value: ListedRemoval, attributes: Item): Contract => ({
  item: {
    pk: { S: 'removals#assets' },
    sk: { S: '=a' },
    id: { S: '"a"' },
    ...attributes,
    sequence: { S: SEQUENCE },
    ...V,
  },
  write: ({ removals }) => removals.add('assets', [value], pass),
  read: async ({ removals }) => (await removals.list('assets'))[0],
  value,
});

const SHORT_ATTRIBUTES: Item = { window: { B: new Uint8Array() }, generation: { N: '0' }, committed: { S: '' } };
const CONTRACTS: readonly (readonly [string, Contract])[] = [
  [
    'a checkpoint',
    checkpoint(CHECKPOINT, {
      cursor: { S: 'c+2' },
      previous: { S: 'c+1' },
      rows_member: { S: 'data' },
      pagination_member: { S: 'page' },
      window: { B: new Uint8Array(Buffer.from(VERSION_TAGS.join(''), 'hex')) },
      generation: { N: '3' },
      committed: { S: SEQUENCE },
      selection: { S: 'f1f2f3' },
      selections: { N: '2' },
      refresh: {
        M: {
          cursor: { S: 'r+1' },
          started: { N: '1795262400000' },
          rows: { N: '40' },
          last_rows: { N: '100' },
          pages: { N: '5' },
          mark: { S: 'd4' },
        },
      },
    }),
  ],
  ['the checkpoint of a stream without a cursor', checkpoint(SHORT_CHECKPOINT, SHORT_ATTRIBUTES)],
  [
    'the checkpoint of a first refresh',
    checkpoint(FIRST_PASS, {
      ...SHORT_ATTRIBUTES,
      refresh: { M: { started: { N: '1795262400000' }, rows: { N: '0' } } },
    }),
  ],
  [
    'intents',
    {
      item: {
        pk: { S: 'connector' },
        sk: { S: 'intents#assets' },
        batches: {
          S: '00000000060000000001  DCungsl5AQ7aW8JU0r8= DtpbwlTSvw==\n00000000070000000012 00000000070000000013 AMY9A301tg== ',
        },
        ...V,
        ...EPOCH,
      },
      write: ({ checkpoints }) => checkpoints.saveIntents('assets', INTENTS, 7),
      read: async ({ load }) => (await load()).intents,
      value: INTENTS,
    },
  ],
  [
    'the organization',
    {
      item: { pk: { S: 'connector' }, sk: { S: 'organization' }, digest: { S: 'd1' }, ...V, ...EPOCH },
      write: ({ checkpoints }) => checkpoints.saveOrganization('d1', 7),
      read: async ({ checkpoints }) => (await checkpoints.load(['assets'])).organization,
      value: 'd1',
    },
  ],
  [
    'a row state',
    rowState(STATE, {
      status: { S: 'removed' },
      row_hash: { S: STATE.rowHash },
      generation: { N: '3' },
      parent: { S: '"a"' },
      sequence: { S: SEQUENCE },
      forwarded_at: { S: STATE.forwardedAt },
      revision: { N: '2' },
    }),
  ],
  [
    'the state of a row that was never sent',
    rowState(SHORT_STATE, {
      status: { S: 'withheld' },
      row_hash: { S: '' },
      generation: { N: '3' },
      sequence: { S: SEQUENCE },
      forwarded_at: { S: STATE.forwardedAt },
    }),
  ],
  [
    'an entry of the child index',
    {
      item: { pk: { S: 'children#threats#=a' }, sk: { S: '=t' }, id: { S: '"t"' }, sequence: { S: SEQUENCE }, ...V },
      write: ({ childIndex }) => childIndex.put('threats', [CHILD], pass),
      read: async ({ childIndex }) => (await childIndex.of('threats', 'a', 10))[0],
      value: CHILD,
    },
  ],
  ['a listed removal', removal(REMOVAL, { deleted_at: { S: REMOVAL.deletedAt! }, position: { S: '"p2"' } })],
  ['the removal of a row without time and position', removal(SHORT_REMOVAL, {})],
];

describe('an item of the table', () => {
  test.each(CONTRACTS)(
    '%s is written with exactly these attributes, and read back',
    async (_what, { item, ...each }) => {
      await using s = await scene();
      await each.write(s);
      expect(await s.held(item)).toEqual(item);
      expect(await each.read(s)).toEqual(each.value);
    },
  );

  test.each(CONTRACTS)('%s of another version, or of none, is never misread', async (_what, { item, read }) => {
    await using s = await scene();
    for (const version of ['2', '0', undefined]) {
      const { v: _, ...bare } = item;
      await s.put(version === undefined ? bare : { ...bare, v: { N: version } });
      const error = await rejection(read(s));
      expect(error).toBeInstanceOf(StateVersionError);
      expect(error.message).toMatch(version === undefined ? 'no version;' : `version ${version};`);
    }
  });

  test('a checkpoint of nothing but the fence is read as the beginning', async () => {
    await using s = await scene();
    await s.put({ pk: { S: 'connector' }, sk: { S: 'checkpoint#assets' }, ...EPOCH });
    expect((await s.load()).checkpoint).toMatchObject({ cursor: undefined, generation: 0, committed: '' });
  });

  test('the lease is written with exactly these attributes', async () => {
    await using s = await scene();
    const lease = await createLease({ table: s.table, clock: s.clock, holder: 'run-1', seconds: 60 }).take();
    const item: Item = {
      pk: { S: 'connector' },
      sk: { S: 'lease' },
      epoch: { N: String(lease!.epoch) },
      holder: { S: 'run-1' },
      expires: { N: String(s.clock.now() + 60_000) },
    };
    expect(await s.held(item)).toEqual({ ...item, ended: { S: 'no' } });
    await lease!.release({ clean: false });
    expect(await s.held(item)).toEqual({ ...item, ended: { S: 'dirty' } });
  });
});
