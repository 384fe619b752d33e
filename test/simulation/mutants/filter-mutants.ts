/** What follows from a filter: each rule broken. */
import { FILTERED } from '../../../lambda/core/decide.ts';
import type { Assignment, Ports } from '../../../lambda/core/run.ts';
import { BEGINNING } from '../../../lambda/core/stream-state.ts';
import type { Checkpoint, RowSelection, RowState } from '../../../lambda/ports.ts';
import type { Variant } from '../check.ts';
import { withStates } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';

const EVERY_ROW: RowSelection = { tag: '', filter: () => 'send', reduce: element => element };

function withSelections(change: (selection: RowSelection) => RowSelection): (assignment: Assignment) => Assignment {
  return assignment => ({
    ...assignment,
    streams: assignment.streams.map(stream => ({ ...stream, selection: change(stream.selection ?? EVERY_ROW) })),
  });
}

/** Of a stream that was read with another selection: the checkpoint that its run begins with, which names the present one. */
function beginningAgainWith(again: (checkpoint: Checkpoint) => Checkpoint): Variant {
  const tags = new Map<string, string>();
  const load = (ports: Ports): Ports['checkpoints']['load'] => {
    return async streams => {
      const loaded = await ports.checkpoints.load(streams);
      return new Map(
        [...loaded].map(([stream, saved]) => {
          const selection = tags.get(stream) ?? '';
          if (saved instanceof Error || saved.checkpoint === BEGINNING || saved.checkpoint.selection === selection)
            return [stream, saved];
          return [stream, { ...saved, checkpoint: { ...again(saved.checkpoint), selection } }];
        }),
      );
    };
  };
  return {
    assignment: assignment => {
      for (const { name, selection } of assignment.streams) tags.set(name, selection?.tag ?? '');
      return assignment;
    },
    ports: ports => ({ ...ports, checkpoints: { ...ports.checkpoints, load: load(ports) } }),
  };
}

const isFiltered = (line: string) => line.includes('"reason":"filtered"');

/** Changes the states of rows that the filter withdrew, on their way to the table. */
function withFilteredStates(ports: Ports, change: (id: string, state: RowState) => RowState | undefined): Ports {
  const put: Ports['rowStates']['put'] = (stream, states, assertLeaseValid) => {
    const changed = [...states].flatMap(([id, state]): [string, RowState][] => {
      const next = state.rowHash === FILTERED ? change(id, state) : state;
      return next ? [[id, next]] : [];
    });
    return ports.rowStates.put(stream, new Map(changed), assertLeaseValid);
  };
  return { ...ports, rowStates: { ...ports.rowStates, put } };
}

/** The parents that the events of withdrawn rows name. */
function keepingParents(ports: Ports): Ports {
  const parents = new Map<string, string | undefined>();
  const deliver: Ports['delivery']['deliver'] = (lines, assertLeaseValid) => {
    for (const line of lines.filter(isFiltered)) {
      const { id, asset_id: parent } = JSON.parse(line);
      parents.set(id, parent);
    }
    return ports.delivery.deliver(lines, assertLeaseValid);
  };
  const keeping = withFilteredStates(ports, (id, state) => ({ ...state, parent: parents.get(id) }));
  return { ...keeping, delivery: { deliver } };
}

export const FILTER_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A changed filter reads the stream again',
    breakage: 'it applies to what is read from now on',
    caughtAt: 49,
    variant: () => ({ assignment: withSelections(selection => ({ ...selection, tag: 'any' })) }),
  },
  {
    rule: 'A changed filter begins with an empty window',
    breakage: 'the window is kept',
    caughtAt: 49,
    variant: () => beginningAgainWith(checkpoint => ({ ...checkpoint, cursor: undefined, previous: undefined })),
  },
  {
    rule: 'A changed filter begins at the beginning of the stream',
    breakage: 'the cursor is kept',
    caughtAt: 49,
    variant: () => beginningAgainWith(checkpoint => ({ ...checkpoint, window: [] })),
  },
  {
    rule: 'A row that stops matching is withdrawn',
    breakage: 'no event is sent',
    caughtAt: 49,
    variant: () => ({
      ports: ports => ({
        ...ports,
        delivery: {
          deliver: (lines, assertLeaseValid) =>
            ports.delivery.deliver(
              lines.filter(line => !isFiltered(line)),
              assertLeaseValid,
            ),
        },
      }),
    }),
  },
  {
    rule: 'The row state says that a row was withdrawn',
    breakage: 'the state of the row stays',
    caughtAt: 49,
    variant: () => ({ ports: ports => withFilteredStates(ports, () => undefined) }),
  },
  {
    rule: 'A row that matches again is another revision',
    breakage: 'the state does not name its withdrawal',
    caughtAt: 1324,
    variant: () => ({ ports: ports => withFilteredStates(ports, (_, state) => ({ ...state, rowHash: '' })) }),
  },
  {
    rule: 'A row that the filter withdrew does not disappear with its asset once more',
    breakage: 'its state keeps the asset',
    caughtAt: 1564,
    variant: () => ({ ports: keepingParents }),
  },
  {
    rule: 'Only an expression that is exactly false withholds a row',
    breakage: 'one without an answer does too',
    caughtAt: 94,
    variant: () => ({
      assignment: withSelections(selection => ({
        ...selection,
        filter: text => (selection.filter(text) === 'send' ? 'send' : 'withhold'),
      })),
    }),
  },
  {
    rule: 'A row that matches is sent, whatever was withheld of it before',
    breakage: 'what was withheld once stays so',
    caughtAt: 49,
    variant: () => {
      const withheld = new Set<string>();
      const idOf = (text: string) => JSON.parse(text).id as string;
      return {
        assignment: withSelections(selection => ({
          ...selection,
          filter(text) {
            const result = selection.filter(text);
            if (result === 'withhold') withheld.add(idOf(text));
            return withheld.has(idOf(text)) ? 'withhold' : result;
          },
        })),
      };
    },
  },
  {
    rule: 'The threats of a removed asset are withdrawn whatever its filter says',
    breakage: 'only those of assets that were sent',
    caughtAt: 94,
    variant: () => ({
      ports: ports => {
        const add: Ports['removals']['add'] = async (parents, removals, assertLeaseValid) => {
          const ids = removals.map(({ id }) => id);
          const states = await ports.rowStates.get(parents, ids);
          const wasSent = (state: unknown) => state !== undefined && (state as RowState).rowHash !== FILTERED;
          await ports.removals.add(
            parents,
            removals.filter(({ id }) => wasSent(states.get(id))),
            assertLeaseValid,
          );
        };
        return { ...ports, removals: { ...ports.removals, add } };
      },
    }),
  },
  {
    rule: 'A restored asset that the filter withholds keeps its threats',
    breakage: 'its row state does not say that it exists',
    caughtAt: 18874,
    variant: () => ({ ports: ports => withStates(ports, ({ exists: _, ...state }) => state) }),
  },
  {
    rule: 'A restored asset that the filter withholds keeps its threats',
    breakage: 'not if it was never sent',
    caughtAt: 62209,
    variant: () => ({
      ports: ports => {
        // The walk reads them as a repair does.
        const list: Ports['removals']['list'] = async (parents, byKeys) =>
          byKeys ? [] : ports.removals.list(parents, byKeys);
        return { ...ports, removals: { ...ports.removals, list } };
      },
    }),
  },
];
