/** One line of the source broken at a time. Each must be noticed by a small scene. */

export interface Patch {
  readonly file: string;
  readonly line: string;
  readonly broken: string;
}

export interface Mutant extends Patch {
  /** What the line is for. */
  readonly rule: string;
  /** The small scenes that are asked, one after the other. */
  readonly scopes: readonly string[];
}

const DECIDE = 'lambda/core/decide.ts';
const COMMIT = 'lambda/core/commit.ts';
const SYNC = 'lambda/core/sync.ts';
const WITHDRAW = 'lambda/core/withdraw.ts';
const REFRESH = 'lambda/core/refresh.ts';
const RUN = 'lambda/core/run-streams.ts';
const REPAIR = 'lambda/core/repair.ts';
const LEASE = 'lambda/store/lease.ts';
const CHECKPOINTS = 'lambda/store/checkpoints.ts';
const ROW = 'lambda/core/row.ts';

const mutant = (rule: string, file: string, line: string, broken: string, ...scopes: string[]): Mutant => {
  return { rule, file, line, broken, scopes };
};

export const MUTANTS: readonly Mutant[] = [
  mutant(
    'An unconfirmed row is sent again',
    DECIDE,
    "if (state?.status !== status || unconfirmed) return 'forward';",
    "if (state?.status !== status) return 'forward';",
    'changes',
    'removal',
  ),
  mutant(
    'A row that is withheld is withdrawn when it may have been sent',
    DECIDE,
    "state?.status === 'live' || unconfirmed ? 'withdraw'",
    "state?.status === 'live' ? 'withdraw'",
    'filters',
    'two kills',
  ),
  mutant(
    'A row that is withheld is withdrawn when the SIEM has it',
    DECIDE,
    "state?.status === 'live' || unconfirmed ? 'withdraw'",
    "unconfirmed ? 'withdraw'",
    'filters',
  ),
  mutant(
    'A tombstone of a row that may have been sent is sent',
    DECIDE,
    'if (row.deleted && !unconfirmed && !siemHas)',
    'if (row.deleted && !siemHas)',
    'first run',
  ),
  mutant(
    'A tombstone of an asset never seen is not sent',
    DECIDE,
    "if (row.deleted && !unconfirmed && !siemHas) return 'unseen';",
    '',
    'filters that withhold from the beginning',
  ),
  mutant(
    'A replay sends everything again',
    DECIDE,
    'state.generation < generation || state.rowHash',
    'state.rowHash',
    'a replay that goes back, and its repair',
    'commands',
  ),
  mutant(
    'A row with the same content is suppressed',
    DECIDE,
    "state.rowHash !== row.rowHash) return 'forward'",
    "true) return 'forward'",
    'changes',
  ),
  mutant(
    'A row with other content is sent',
    DECIDE,
    "state.rowHash !== row.rowHash) return 'forward'",
    "false) return 'forward'",
    'changes',
  ),
  mutant(
    'The page before wins over the look-up',
    DECIDE,
    'if (staged) return { state: staged, unconfirmed: false, gone: false, generation };',
    '',
    'every version, rows that end with a page of their own',
  ),
  mutant(
    'A row that comes back has another revision',
    DECIDE,
    "(gone || (state && state.status !== 'live') ? 1 : 0)",
    '(gone ? 1 : 0)',
    'removal',
    'filters',
  ),
  mutant(
    'A filter change gives events another identity',
    DECIDE,
    "{ selections }: Pick<Checkpoint, 'selections'>): string {",
    "_: Pick<Checkpoint, 'selections'>, selections = 0): string {",
    'a filter that changes back, two kills',
    'filters that change',
  ),
  mutant(
    'A withheld asset is known to exist',
    DECIDE,
    "if (decision === 'withhold')\n    return",
    "if (decision === 'withhold')\n    return { id, sequence };\n  if (decision === 'withhold')\n    return",
    'filters that withhold from the beginning',
    'filters',
  ),
  mutant(
    'A removal of an asset never seen is listed',
    DECIDE,
    '{ id, sequence } : { id, sequence, removal: removalOf(row, sequence) };',
    '{ id, sequence } : { id, sequence };',
    'filters that withhold from the beginning',
    'first run',
  ),
  mutant(
    'A tombstone lists the removal',
    DECIDE,
    'removal: deleted && childOf(stream.name) ? removalOf(row, sequence) : undefined,',
    '',
    'removal',
  ),
  mutant(
    'A new child gets its entry',
    DECIDE,
    'child: childEntry(row, sequence, before),\n    removal',
    'removal',
    'removal',
  ),
  mutant(
    'A child that comes back gets its entry again',
    DECIDE,
    "before?.status === 'live' && before.parent === parent;",
    'before?.parent === parent;',
    'removal',
  ),
  mutant(
    'The newest non-null cursor is saved',
    DECIDE,
    'const cursor = next ?? sent;',
    'const cursor = sent;',
    'first run',
    'an empty last page',
  ),
  mutant(
    'The window holds the last page',
    DECIDE,
    'window: versionTags.length > 0 ? new Set(versionTags) : window, pages: []',
    'window, pages: []',
    'changes',
    'filters that withhold from the beginning',
  ),
  mutant(
    'DNS blocks of the walk before stay in the window',
    DECIDE,
    'const kept = new Set(isWhole ? pages[0] : window);',
    'const kept = new Set<string>();',
    'omit and page limits',
  ),
  mutant(
    'The window is saved',
    DECIDE,
    '!sameTags(window, state.window);',
    'false;',
    'changes',
    'omit and page limits',
  ),
  mutant(
    'A withdrawal is marked as gone in the intent',
    DECIDE,
    'if (outcome.gone) goneTags.push(tag);',
    '',
    'two kills',
    'removal',
  ),
  mutant(
    'A mark as gone lasts until it is committed',
    DECIDE,
    'gone: deleted || known?.gone === true,',
    'gone: deleted,',
    'a kill, a change and a kill',
    'two kills',
    'removal',
  ),
  mutant(
    'A committed intent is void',
    DECIDE,
    'const sent = intents.filter(({ sequence }) => sequence > checkpoint.committed)',
    "const sent = intents.filter(({ sequence }) => sequence !== '')",
    'changes',
    'removal',
  ),
  mutant(
    'What is carried stays unconfirmed',
    DECIDE,
    'const open = [...carried, ...sent];',
    'const open = sent;',
    'a page that is cut again, two kills',
  ),
  mutant(
    'An intent after the first open one was not sent',
    DECIDE,
    '.slice(0, 1);',
    ';',
    'every version, rows that end with a page of their own',
  ),
  mutant(
    'What an earlier run may have sent is carried along until the page before is committed',
    COMMIT,
    'carried(previous ?? state)',
    'carried(state)',
    'a page that is cut again, two kills',
  ),
  mutant(
    'An intent is written before anything is sent',
    COMMIT,
    'await run.checkpoints.saveIntents(stream.name, intents, run.lease.epoch);',
    '',
    'first run',
    'removal',
  ),
  mutant(
    'What is unconfirmed is carried along',
    COMMIT,
    '...carried(previous ?? state), ',
    '',
    'a page that is cut again, two kills',
  ),
  mutant('The intent of the page under commit stays', COMMIT, 'previous?.intent, ', '', 'pages of one row'),
  mutant(
    'Removals come before the row states',
    COMMIT,
    'if (removals.length > 0) await run.removals.add(stream.name, removals, assertValid);\n  if (states.size > 0) await run.rowStates.put(stream.name, states, assertValid);',
    'if (states.size > 0) await run.rowStates.put(stream.name, states, assertValid);\n  if (removals.length > 0) await run.removals.add(stream.name, removals, assertValid);',
    'removal',
    'filters',
    'filters that withhold from the beginning',
  ),
  mutant(
    'Row states come before the checkpoint',
    COMMIT,
    'if (states.size > 0) await run.rowStates.put(stream.name, states, assertValid);\n  if (saves) await run.checkpoints.save(stream.name, toCheckpoint(state), epoch);',
    'if (saves) await run.checkpoints.save(stream.name, toCheckpoint(state), epoch);\n  if (states.size > 0) await run.rowStates.put(stream.name, states, assertValid);',
    'first run',
    'removal',
    'changes',
  ),
  mutant(
    'Nothing is saved before it is sent',
    SYNC,
    'await send(batch, streamRun); // 2 dead letters, 3 events\n        await commit(batch, streamRun);',
    'await commit(batch, streamRun);\n        await send(batch, streamRun);',
    'changes',
    'removal',
  ),
  mutant(
    'A rewound cursor is saved first',
    SYNC,
    'state = await rewind(page, state, streamRun);',
    '',
    'every version, rows that end with a page of their own',
  ),
  mutant(
    'An asset that is removed after its restoration is removed',
    WITHDRAW,
    'const restored = exists && state.sequence > removal.sequence;',
    'const restored = exists;',
    'filters, every version',
    'filters',
    'removal',
    'filters that change',
  ),
  mutant(
    'A restored asset keeps its threats',
    WITHDRAW,
    'const restored = exists && state.sequence > removal.sequence;',
    'const restored = false;',
    'every version, rows that end with a page of their own',
    'removal',
  ),
  mutant(
    'Half-done withdrawals of a restored asset are completed',
    WITHDRAW,
    'return restored && gone.size === 0 ? []',
    'return restored ? []',
    'two kills',
    'removal',
    'filters',
  ),
  mutant(
    'Only half-done withdrawals of a restored asset are completed',
    WITHDRAW,
    'if (restored) return unconfirmed && state.gone.has(idTag(id));',
    'if (restored) return true;',
    'removal',
    'two kills',
    'a kill, a change and a kill',
  ),
  mutant(
    'A threat that has moved is not withdrawn with its old asset',
    WITHDRAW,
    "if (known?.status === 'live' && known.parent === parent) return true;",
    "if (known?.status === 'live') return true;",
    'moves',
  ),
  mutant(
    'A threat that a killed run has sent is withdrawn',
    WITHDRAW,
    'return unconfirmed && (!known || sequence > known.sequence);',
    'return false;',
    'first run',
    'removal',
  ),
  mutant(
    'A withdrawn threat leaves the window',
    WITHDRAW,
    'const window = forget(state.window, [...gone.keys()]);',
    'const { window } = state;',
    'removal',
    'commands',
  ),
  mutant(
    'A removal is struck off',
    WITHDRAW,
    'await run.removals.remove(',
    'if (false as boolean) await run.removals.remove(',
    'removal',
  ),
  mutant(
    'Entries of a removed asset are deleted',
    WITHDRAW,
    'if (left.length > 0) await run.childIndex.delete',
    'if (left.length < 0) await run.childIndex.delete',
    'removal',
  ),
  mutant(
    'Entries of a restored asset stay',
    WITHDRAW,
    'piece.filter(({ open }) => !open.restored)',
    'piece',
    'removal',
    'two kills',
    'a kill, a change and a kill',
  ),
  mutant(
    'Withdrawals come before the threats are read',
    RUN,
    '({ state, done } = await withdraw(parents, state, streamRun));\n    if (done) state = await sync(state, streamRun);',
    '{ state = await sync(state, streamRun); ({ state, done } = await withdraw(parents, state, streamRun)); } else state = await sync(state, streamRun);',
    'removal',
    'filters',
  ),
  mutant(
    'A changed filter reads the stream again',
    RUN,
    'const again = { ...checkpoint, cursor: undefined, previous: undefined, window: [], selection, selections };',
    'const again = { ...checkpoint, selection, selections };',
    'filters that change',
  ),
  mutant(
    'A changed filter counts',
    RUN,
    'const selections = checkpoint.selections + 1;',
    'const { selections } = checkpoint;',
    'filters that change',
  ),
  mutant(
    'A resync reads the stream again',
    RUN,
    '    cursor: undefined,\n    previous: undefined,\n    window: replay',
    '    window: replay',
    'a replay that goes back, and its repair',
    'commands',
  ),
  mutant(
    'A removed row is not refreshed',
    REFRESH,
    "if (state?.status !== 'live' || gone ||",
    'if (!state || gone ||',
    'refresh',
  ),
  mutant(
    'A withheld row is not refreshed',
    REFRESH,
    "|| row.filter === 'withhold' || row.deleted) return false;",
    ') return false;',
    'refresh under a filter',
  ),
  mutant(
    'A changed row is not refreshed',
    REFRESH,
    'if (state.rowHash !== row.rowHash || state.parent !== row.parent) return false;',
    '',
    'refresh',
    'refresh under a filter',
  ),
  mutant(
    'Only old rows are refreshed',
    REFRESH,
    'Date.parse(state.forwardedAt) <= sentBefore',
    'Boolean(sentBefore)',
    'refresh',
  ),
  mutant('Old rows are refreshed', REFRESH, 'Date.parse(state.forwardedAt) <= sentBefore', 'false', 'refresh'),
  mutant(
    'A row that is gone is repaired',
    REPAIR,
    "if (answer === 'gone') return withdrawMissing(id, known, sequence, options);",
    "if (answer === 'gone') return { result: { outcome: 'unchanged' } };",
    'a replay that goes back, and its repair',
  ),
  mutant('An epoch rises', LEASE, 'epoch = previous + 1;', 'epoch = previous;', 'two kills', 'a frozen run'),
  mutant(
    'A checkpoint of an earlier run is refused',
    CHECKPOINTS,
    'if (raised.includes(false))',
    'if (raised.length < 0)',
    'a frozen run',
  ),
  mutant(
    'A dirty lease raises the fence',
    RUN,
    'if (run.lease.dirty)',
    'if (run.lease.dirty && run.lease.epoch < 0)',
    'a frozen run',
  ),
  mutant(
    'A block is the same with members left out',
    ROW,
    'versionTagOf(this.id, this.#wholeHash)',
    'versionTagOf(this.id, this.rowHash)',
    'omit and page limits',
  ),
];

/** Sequences of words, by scope, in which the mutants show: a whole scope takes a minute, and each of these takes a second. */
export const SEQUENCES: Readonly<Record<string, readonly string[]>> = {
  'first run': ['a=1 t=1@a d1 u=1@a run', 'a=1 t=1@a d1 run -a run', 'a=1 b=1 t=1@a u=1@a run', 'a=1 t=1@a run ?b run'],
  changes: ['a=1 t=1@a run t=2 run t=1 run', 'a=1 t=1@a run a=2 ~t run', 'a=1 t=1@a run ~t d1 run'],
  removal: [
    'a=1 t=1@a run -a run',
    'a=1 t=1@a run -a run +a run',
    'a=1 t=1@a run -a +a run',
    'a=1 t=1@a run -a run +a t=2 run',
    'a=1 t=1@a run -a run +a run -a run',
    'a=1 t=1@a run u=1@a -a run',
    'a=1 t=1@a run t=2 -a run +a run',
  ],
  moves: ['a=1 b=1 t=1@a run t=1@b run -a run', 'a=1 b=1 t=1@a run t=1@b -a run +a run'],
  'every version, rows that end with a page of their own': [
    'a=1 t=1@a run a=2 a=1 run',
    'a=1 t=1@a run t=2 t=1 t=2 run',
    'a=1 t=1@a run -a +a run',
    'a=1 t=1@a run t=2 resync-t run',
    'a=1 t=1@a run -a run +a resync-t run',
    'a=1 t=1@a t=2 u=1@a run run:refused-6:refused-7 run',
    'a=1 t=1@a run a=2 -a run',
  ],
  'an empty last page': ['a=1 t=1@a run a=2 run -a run'],
  filters: [
    'filter:at a=1 t=1@a run a=2 run',
    'filter:at a=1 t=1@a run a=2 -a run +a run',
    'filter:at a=1 t=1@a run t=2 run t=1 run',
    'filter:at a=1 t=1@a run -a run +a t=2 run',
    'filter:at a=1 t=1@a run a=2 run -a +a run',
    'filter:at a=1 t=1@a run a=2 run -a run a=1 run',
  ],
  'filters that withhold from the beginning': [
    'filter:at a=2 t=1@a run -a run',
    'filter:at a=2 t=1@a run -a +a run',
    'filter:at a=2 t=1@a run -a run +a run',
    'filter:at a=2 t=1@a run -a run +a -a run',
    'filter:at a=2 t=1@a run ~a run',
  ],
  'filters, every version': [
    'filter:at a=2 t=1@a run -a +a run',
    'filter:at a=2 t=1@a run -a +a -a run',
    'filter:at a=2 t=1@a run -a run +a -a +a run',
  ],
  'a filter that changes back, two kills': ['a=2 t=2@a run filter:t run filter: run filter:t run'],
  'filters that change': [
    'a=2 t=2@a run filter:t run filter: run',
    'a=2 t=2@a run filter:a run filter: run',
    'a=2 t=2@a run filter:t run -a run',
    'a=2 t=2@a run filter:t t=1 run filter: run',
  ],
  'omit and page limits': [
    'a=1 t=1@a d1 d2 d3 run omit:td run',
    'a=1 t=1@a d1 d2 run limit:1 d3 run',
    'a=1 t=1@a d1 d2 d3 run limit:1 d4 run limit:3 run',
  ],
  commands: [
    'a=1 t=1@a d1 run resync-t run',
    'a=1 t=1@a d1 run replay-t run',
    'a=1 t=1@a d1 run t=2 forget run',
    'a=1 t=1@a d1 run -a resync-t +a run',
  ],
  'a replay that goes back, and its repair': [
    'a=1 b=1 t=1@a run t=1@b run replay-t:late-20 -b run repair repair',
    'a=1 b=1 t=1@a run t=1@b run replay-t:late-18 -b run repair repair',
    'a=1 b=1 t=1@a run t=1@b run replay-t run repair repair',
  ],
  refresh: [
    'a=1 t=1@a run run wait:8 run wait:8 run wait:8 run wait:8 run',
    'a=1 t=1@a run run wait:8 run wait:8 run -a wait:8 run',
    'a=1 t=1@a run run wait:8 run wait:8 run t=2 run wait:8 run',
    'a=1 t=1@a run run wait:8 run wait:8 run t=2 wait:8 run',
  ],
  'refresh under a filter': [
    'filter:t a=1 t=1@a run run wait:8 run wait:8 run t=2 run wait:8 run wait:8 run',
    'filter:t a=1 t=1@a run run wait:8 run wait:8 run t=2 run t=1 run wait:8 run',
  ],
  'requests that fail': ['filter:t a=1 t=1@a d1 run t=2 d2 run'],
  'two kills': [
    'filter:t a=1 t=1@a run -a +a run run',
    'filter:t a=1 t=1@a run t=2 run run',
    'filter:t a=1 t=1@a run -a run run',
  ],
  'a kill, a change and a kill': ['filter:t a=1 t=1@a run -a run +a run', 'filter:t a=1 t=1@a run -a run +a t=2 run'],
  'a page that is cut again, two kills': ['a=1 t=1@a u=1@a run limit:1 run -a run'],
  'pages of one row': ['a=1 b=1 t=1@a u=1@b run -a run', 'a=1 b=1 t=1@a u=1@b run t=2 u=2 run -b run'],
  'a frozen run': ['a=1 t=1@a run t=2 run run', 'a=1 t=1@a run -a run run'],
};

const LONG = [
  'a filter that changes back, two kills',
  'two kills',
  'a kill, a change and a kill',
  'a page that is cut again, two kills',
  'a frozen run',
];

/** Those of the mutant's own scopes first, then all others but those of pairs, which take long. */
export function sequencesFor({ scopes }: Mutant): [scope: string, words: string][] {
  const others = Object.keys(SEQUENCES).filter(name => !LONG.includes(name));
  const names = [...new Set([...scopes, ...others])];
  return names.flatMap(name => SEQUENCES[name]!.map((words): [string, string] => [name, words]));
}
