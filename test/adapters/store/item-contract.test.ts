/**
 * The items of the table, attribute by attribute. Items outlive a deployment: what this version
 * writes, the next one must read, and after a rollback the other way round. A change here needs
 * another `v`.
 */
import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';
import type { Checkpoint, ChildEntry, ListedRemoval, LogEntry, RowState } from '../../../lambda/ports.ts';
import { createCheckpointStore } from '../../../lambda/store/checkpoints.ts';
import type { Item, Key } from '../../../lambda/store/item.ts';
import { createLease } from '../../../lambda/store/lease.ts';
import { createChildIndex, createRemovalStore, createRowStateStore } from '../../../lambda/store/rows.ts';
import { sha256 } from '../../../lambda/system.ts';
import { awsScene, pass } from '../../support/function/aws-scene.ts';
import { expectRejection } from '../../support/function/rejection.ts';

const SEQUENCE = '00000000070000000012';
const VERSION_TAGS = ['0123456789abcdef01234567', 'fedcba9876543210fedcba98'];
const FENCE = { epoch: 7, write: 3 };
const FENCED = { epoch: 7, write_number: 3 };

type Plain = string | number | boolean | Uint8Array | readonly Plain[];

/** An item of this version, its attributes in the types of DynamoDB. */
function itemOf(pk: string, sk: string, attributes: Readonly<Record<string, Plain>>): Item {
  const all = Object.entries({ pk, sk, ...attributes, v: 2 });
  return Object.fromEntries(all.map(([name, value]) => [name, typed(value)]));
}

function typed(value: Plain): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  return value instanceof Uint8Array ? { B: value } : { L: value.map(typed) };
}

const CHECKPOINT: Checkpoint = {
  cursor: 'c+2',
  previous: 'c+1',
  window: VERSION_TAGS,
  generation: 3,
  names: { rows: 'data', pagination: 'page' },
  committed: SEQUENCE,
  filter: 'f1f2f3',
  counts: { existing: 40, listed: 30 },
  second: {
    mode: 'differences',
    phase: 'sweep',
    since: 1_795_262_300_000,
    cursor: 's+1',
    rows: 40,
    notBefore: 1_795_262_400_000,
    isHeldUp: true,
    scanned: '{"pk":{"S":"row#assets#=a"}}',
    most: 500,
    withdrawn: { own: 1, children: 2 },
    waiting: { reason: 'not-listed', own: 3, children: 4 },
    isConfirmed: true,
  },
  reconciled: 1_795_262_400_001,
  reread: 1_795_262_400_002,
  refresh: { cursor: 'r+1', started: 1_795_262_400_000, rows: 40, lastRows: 100, pages: 5, mark: 'd4' },
};
const LOG: LogEntry = { sequence: SEQUENCE, key: `log/assets/${SEQUENCE}`, earlier: ['log/assets/1', 'log/assets/2'] };
const STATE: RowState = {
  status: 'removed',
  rowHash: '0123456789abcdef0123456789abcdef',
  generation: 3,
  parent: 'a',
  sequence: SEQUENCE,
  forwardedAt: '2026-11-20T09:15:00.412Z',
};
const SHORT_STATE: RowState = { ...STATE, status: 'filtered', rowHash: '', parent: undefined };
const CHILD: ChildEntry = { parent: 'a', id: 't' };
const LONG = 'l'.repeat(301);
const REMOVAL: ListedRemoval = {
  id: 'a',
  sequence: SEQUENCE,
  deletedAt: '2026-11-20T09:10:00Z',
  position: '"p2"',
  isRestored: true,
};
const SHORT_REMOVAL: ListedRemoval = { ...REMOVAL, deletedAt: undefined, position: undefined, isRestored: false };

async function scene() {
  const aws = await awsScene();
  const checkpoints = createCheckpointStore(aws.table);
  const rowStates = createRowStateStore(aws.table, sha256);
  const childIndex = createChildIndex(aws.table, sha256);
  const removals = createRemovalStore(aws.table, sha256);
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

const rowState = (id: string, key: string, value: RowState, attributes: Readonly<Record<string, Plain>>): Contract => ({
  item: itemOf(`row#threats#${key}`, 'state', attributes),
  write: ({ rowStates }) => rowStates.put('threats', new Map([[id, value]]), pass),
  read: async ({ rowStates }) => (await rowStates.get('threats', [id])).get(id),
  value,
});
const removal = (value: ListedRemoval, attributes: Readonly<Record<string, Plain>>): Contract => ({
  item: itemOf('removals#assets', `=a#${SEQUENCE}`, { id: '"a"', sequence: SEQUENCE, ...attributes }),
  write: ({ removals }) => removals.add('assets', [value], pass),
  read: async ({ removals }) => (await removals.list('assets'))[0],
  value,
});

const { window: _, ...REST } = CHECKPOINT;
const SENT = { generation: 3, sequence: SEQUENCE, forwarded_at: STATE.forwardedAt };
const SHORT_ATTRIBUTES = { ...SENT, status: 'filtered', row_hash: '' };
const CONTRACTS: Readonly<Record<string, Contract>> = {
  'a checkpoint': {
    item: itemOf('connector', 'checkpoint#assets', {
      window: new Uint8Array(Buffer.from(VERSION_TAGS.join(''), 'hex')),
      state: JSON.stringify(REST),
      ...FENCED,
    }),
    write: ({ checkpoints }) => checkpoints.save('assets', CHECKPOINT, FENCE),
    read: async ({ load }) => (await load()).checkpoint,
    value: CHECKPOINT,
  },
  'the name of a log': {
    item: itemOf('connector', 'log#assets', {
      sequence: SEQUENCE,
      object: LOG.key,
      earlier: ['log/assets/1', 'log/assets/2'],
      ...FENCED,
    }),
    write: ({ checkpoints }) => checkpoints.saveLog('assets', LOG, FENCE),
    read: async ({ load }) => (await load()).log,
    value: LOG,
  },
  'the organization': {
    item: itemOf('connector', 'organization', { digest: 'd1', ...FENCED }),
    write: ({ checkpoints }) => checkpoints.saveOrganization('d1', FENCE),
    read: async ({ checkpoints }) => (await checkpoints.load(['assets'])).organization,
    value: 'd1',
  },
  'a row state': rowState('t', '=t', STATE, { ...SENT, status: 'removed', row_hash: STATE.rowHash, parent: '"a"' }),
  'the state of a row that was never sent': rowState('t', '=t', SHORT_STATE, SHORT_ATTRIBUTES),
  'the state of a row with a long id': rowState(LONG, `#${sha256(JSON.stringify(LONG))}`, SHORT_STATE, {
    id: JSON.stringify(LONG),
    ...SHORT_ATTRIBUTES,
  }),
  'an entry of the child index': {
    item: itemOf('children#threats#=a', '=t', { id: '"t"' }),
    write: ({ childIndex }) => childIndex.put('threats', [CHILD], pass),
    read: async ({ childIndex }) => (await childIndex.of('threats', 'a', 10))[0],
    value: CHILD,
  },
  'a listed restoration': removal(REMOVAL, { deleted_at: REMOVAL.deletedAt!, position: '"p2"', restored: true }),
  'the removal of a row without time and position': removal(SHORT_REMOVAL, {}),
};

describe('an item of the table', () => {
  test.each(Object.entries(CONTRACTS))(
    '%s is written with exactly the attributes of the contract and can be read',
    async (_what, { item, ...each }) => {
      await using s = await scene();
      await each.write(s);
      expect(await s.held(item)).toEqual(item);
      expect(await each.read(s)).toEqual(each.value);
    },
  );

  test.each(Object.entries(CONTRACTS))(
    '%s without the current format version is never misread',
    async (_what, { item, read }) => {
      await using s = await scene();
      for (const version of ['3', '1', undefined]) {
        const { v: __, ...bare } = item;
        await s.put(version === undefined ? bare : { ...bare, v: { N: version } });
        const said = version === undefined ? 'no version;' : `version ${version};`;
        await expectRejection(read(s), 'StateVersionError', said);
      }
    },
  );

  test('a checkpoint or log that has only the fence reads as not yet saved', async () => {
    await using s = await scene();
    for (const kind of ['checkpoint', 'log']) {
      const { v: __, ...stub } = itemOf('connector', `${kind}#assets`, FENCED);
      await s.put(stub);
    }
    expect(await s.load()).toEqual({ checkpoint: INITIAL_CHECKPOINT, log: undefined });
  });

  test('the lease is written with exactly the attributes of the contract', async () => {
    await using s = await scene();
    const lease = await createLease({ table: s.table, clock: s.clock, holder: 'run-1', seconds: 60 }).take();
    const { v: __, ...item } = itemOf('connector', 'lease', {
      epoch: lease!.epoch,
      holder: 'run-1',
      table_id: 'run-1',
      expires: s.clock.now() + 60_000,
    });
    expect(await s.held(item)).toEqual({ ...item, ended: { S: 'no' } });
    await lease!.release({ clean: false });
    expect(await s.held(item)).toEqual({ ...item, ended: { S: 'dirty' }, unclear_runs: { N: '0' } });
  });
});
