/** The rules of the walk, each broken as a naive poller breaks it. */
import { ApiUnavailableError, CursorRefusedError, PageTooLargeError } from '../../../lambda/core/errors.ts';
import type { Ports } from '../../../lambda/core/run.ts';
import type { Checkpoint, PageRequest } from '../../../lambda/ports.ts';
import { nextCursorOf, text, withBodies, withNextCursor, withRows } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';

type Save = Ports['checkpoints']['save'];

function withSave(ports: Ports, save: (checkpoint: Checkpoint, stream: string) => Checkpoint): Ports {
  const saved: Save = (stream, checkpoint, epoch) => ports.checkpoints.save(stream, save(checkpoint, stream), epoch);
  return { ...ports, checkpoints: { ...ports.checkpoints, save: saved } };
}

function failing(ports: Ports, kind: new (...args: never[]) => Error): Ports {
  const page = async (request: PageRequest) => {
    try {
      return await ports.source.page(request);
    } catch (cause) {
      throw cause instanceof kind ? new ApiUnavailableError(request.path, 'it was refused', { cause }) : cause;
    }
  };
  return { ...ports, source: { page } };
}

/** More pages than any history's stream has, so that a walk that spins comes to an end. */
const SPIN_LIMIT = 300;

function spinning(ports: Ports): Ports {
  let pages = 0;
  const unmarked = (cursor: string | undefined) => cursor?.replace(/~\d+$/, '');
  const page = async (request: PageRequest) => {
    if (++pages > SPIN_LIMIT) throw new ApiUnavailableError(request.path, 'the walk spins');
    const body = text(await ports.source.page({ ...request, cursor: unmarked(request.cursor) }));
    const next = nextCursorOf(body);
    return Buffer.from(next === null ? body : withNextCursor(body, `${next}~${pages}`));
  };
  return { ...ports, source: { page } };
}

function droppingCursorAtTheEnd(ports: Ports): Ports {
  const ended = new Set<string>();
  const monitored = withBodies(ports, (body, { path }) => {
    if (nextCursorOf(body) === null) ended.add(path);
    return body;
  });
  return withSave(monitored, (checkpoint, stream) => {
    return [...ended].some(path => path.endsWith(stream)) ? { ...checkpoint, cursor: undefined } : checkpoint;
  });
}

function emptiedWhenCursorMoves(ports: Ports): Ports {
  const cursors = new Map<string, string | undefined>();
  const load: Ports['checkpoints']['load'] = async streams => {
    const loaded = await ports.checkpoints.load(streams);
    for (const [stream, memory] of loaded) {
      if (!(memory instanceof Error)) cursors.set(stream, memory.checkpoint.cursor);
    }
    return loaded;
  };
  const saving = withSave(ports, (checkpoint, stream) => {
    const moved = cursors.get(stream) !== checkpoint.cursor;
    cursors.set(stream, checkpoint.cursor);
    return moved ? { ...checkpoint, window: [] } : checkpoint;
  });
  return { ...saving, checkpoints: { ...saving.checkpoints, load } };
}

const idOf = (row: string) => /"id":\s*"([^"]*)"/.exec(row)?.[1];

export const WALK_MUTANTS: readonly Mutant[] = [
  {
    rule: 'Save the newest non-null cursor',
    breakage: 'the null at the end drops the cursor',
    variant: () => ({ ports: droppingCursorAtTheEnd }),
  },
  {
    rule: 'The last page is delivered again at every poll, and not sent again',
    breakage: 'no window is kept',
    variant: () => ({ ports: ports => withSave(ports, checkpoint => ({ ...checkpoint, window: [] })) }),
  },
  {
    rule: 'Only null ends a stream',
    breakage: 'a short page counts as the end',
    caughtAt: 11,
    variant: () => ({
      ports: ports =>
        withBodies(ports, (body, { limit }) => {
          const { length } = body.match(/"stream_position":|"blocked_at":/g) ?? [];
          return length < limit ? withNextCursor(body, null) : body;
        }),
    }),
  },
  {
    rule: 'An empty page with a cursor is not the end',
    breakage: 'an empty page counts as the end',
    caughtAt: 7,
    variant: () => ({
      ports: ports => withBodies(ports, body => (/"page_size":\s*0\b/.test(body) ? withNextCursor(body, null) : body)),
    }),
  },
  {
    rule: 'A cursor that comes back unchanged, with nothing new, ends the walk',
    breakage: 'the walk asks again for as long as there is a cursor',
    variant: () => ({ ports: spinning }),
  },
  {
    rule: 'Within one page the last occurrence of an id wins',
    breakage: 'the first one does',
    variant: () => ({ ports: ports => withBodies(ports, body => withRows(body, rows => rows.reverse())) }),
  },
  {
    rule: 'A refused cursor falls back to the one before, then to the beginning',
    breakage: 'it only fails the stream',
    caughtAt: 33,
    variant: () => ({ ports: ports => failing(ports, CursorRefusedError) }),
  },
  {
    rule: 'A rewound walk saves the earlier cursor before it sends',
    breakage: 'it saves only with its pages',
    variant: () => ({
      ports: ports => {
        const save: Save = async (stream, checkpoint, epoch) => {
          const rewinds = checkpoint.previous === undefined && checkpoint.committed !== '';
          if (!rewinds) await ports.checkpoints.save(stream, checkpoint, epoch);
        };
        return { ...ports, checkpoints: { ...ports.checkpoints, save } };
      },
    }),
  },
  {
    rule: 'Names that are not specified are found by what they hold',
    breakage: 'the row array is taken to be "data"',
    variant: () => ({ settings: settings => ({ ...settings, names: { rows: 'data' } }) }),
  },
  {
    rule: 'The limit is 1 to 500',
    breakage: 'it is 501',
    variant: () => ({ settings: settings => ({ ...settings, pageLimit: 501 }) }),
  },
  {
    rule: 'A page too large is asked for again with half the limit',
    breakage: 'it only fails the stream',
    caughtAt: 23,
    variant: () => ({ ports: ports => failing(ports, PageTooLargeError) }),
  },
  {
    rule: 'A row that can be no event is a dead letter',
    breakage: 'it is dropped',
    caughtAt: 11,
    variant: () => ({
      ports: ports => ({ ...ports, deadLetters: { ...ports.deadLetters, store: async () => undefined } }),
    }),
  },
  {
    rule: 'The member that names the asset is configurable',
    breakage: 'another member is read',
    variant: () => ({ settings: settings => ({ ...settings, threatAssetField: 'asset' }) }),
  },
  {
    rule: 'The window is not emptied when the cursor moves',
    breakage: 'it is',
    caughtAt: 9,
    variant: () => ({ ports: emptiedWhenCursorMoves }),
  },
  {
    rule: 'The window remembers superseded rows too',
    breakage: 'only the last of each id',
    caughtAt: 159,
    variant: () => ({
      ports: ports =>
        withBodies(ports, body =>
          withRows(body, rows =>
            rows.filter((row, at) => !rows.slice(at + 1).some(later => idOf(later) === idOf(row))),
          ),
        ),
    }),
  },
];
