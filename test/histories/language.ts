/** The words of histories, and a history at work. The head of histories.txt explains the words. */
import { withdrawalsDigest } from '../../lambda/core/guard.ts';
import { epochAt } from '../../lambda/core/sequence.ts';
import type { Settings } from '../../lambda/settings.ts';
import { createCheckpointStore } from '../../lambda/store/checkpoints.ts';
import { rowKey } from '../../lambda/store/item.ts';
import { createTable } from '../../lambda/store/table.ts';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { sha256, systemClock } from '../../lambda/system.ts';
import type { Item } from '../../local/aws/table.ts';
import { changeRows, Impossible, idsOf, type RowShape } from './changes.ts';
import {
  type Condition,
  FAULTS,
  type Fault,
  type Moment,
  OPERATIONS,
  type Operation,
  type Process,
} from './process.ts';
import { type Command, type Keep, Table } from './table.ts';
import { loggedEvents, type Ran, type Received, START, World } from './world.ts';

const HOUR = 3_600_000;
const WORD_MILLISECONDS = 1_000;
/** Longer than a lease lasts. */
const BETWEEN_RUNS_MILLISECONDS = 61_000;
/** The only content that filters exclude. */
const FILTER = 'c != `2`';

const SETTING = /^(every-version|empty-end|old-positions|long-ids|fat|(withhold|refresh|reconcile|delays|fits)=\d+)$/;
const RUN = /^(run|soon|twin|confirm|(resync|replay|sendall|since)-[atd])(:|$)/;
const STREAM_OF: Readonly<Record<string, StreamName>> = { a: 'assets', t: 'threats', d: 'dns-blocks' };

export const isSetting = (word: string): boolean => SETTING.test(word);
export const isRun = (word: string): boolean => RUN.test(word);

/** A history at work, word by word. */
export class Stage {
  readonly world: World;
  readonly everyVersion: boolean;
  readonly refreshDays: number | undefined;
  readonly shape: RowShape;
  /** Words that have been played. */
  readonly played: string[] = [];
  /** The latest run. */
  last: Ran | undefined;
  filter = '';
  /** Numbers of the runs that something befell: events may be repeated. */
  readonly struck = new Set<number>();
  /** Numbers of the runs that read a stream again from the beginning … */
  readonly again = new Set<number>();
  /** … and of those that read the DNS blocks again, of which no row state is kept. */
  readonly blocksAgain = new Set<number>();
  /** By stream the numbers of the runs that send every row once more. */
  readonly replays = new Map<StreamName, Set<number>>();
  /** Numbers of the runs that were to send again what was sent of a stream since a certain time. */
  readonly sentSince: { readonly stream: StreamName; readonly run: number }[] = [];
  /** The events that the SIEM lost before it asked for a replay. */
  readonly lost = new Set<Received>();
  /** Streams that were not sent again as a whole since the table was lost or restored. */
  readonly forgetful = new Set<StreamName>();
  /**
   * Rows of the SIEM that the API does not show, or that are filtered, and that a restored table
   * does not know: docs/limits.md.
   */
  readonly unknown = new Map<string, string>();
  /** Greatest epoch of the tables that were lost or replaced. */
  #leastEpoch = 0;
  /**
   * Whether the clock was behind the epochs of a table that was lost or replaced: docs/limits.md.
   */
  isBehind = false;
  /**
   * Threats that moved to an asset which was removed before the move was logged, or whose asset was
   * never sent and restored unseen, with the sequence of the last event before. Nothing shows the
   * removal until a resync: docs/limits.md.
   */
  readonly hidden = new Map<string, string>();
  changesWithinRuns = false;
  readonly #keep: Keep | undefined;
  readonly #setting: ReadonlySet<string>;
  #frozen: Process | undefined;
  #isWithinRun = false;
  #backup: readonly Item[] | undefined;
  #size: number | undefined;
  #began = START;

  /** @param keep what the table stores of an item that is written @default all of it */
  constructor(words: readonly string[], keep?: Keep) {
    this.#keep = keep;
    this.#setting = new Set(words.filter(isSetting));
    this.everyVersion = this.#setting.has('every-version');
    this.refreshDays = this.#number('refresh');
    const withhold = this.#number('withhold');
    this.world = new World({
      simulator: {
        ...(this.everyVersion && { retention: 'every-version' }),
        ...(this.#setting.has('empty-end') && { endOfStream: 'empty-page-null' }),
        ...(this.#setting.has('old-positions') && { restoredThreats: 'old-positions' }),
        ...(withhold !== undefined && { withholdMs: withhold * 1_000 }),
      },
      delays: this.#number('delays'),
      fits: this.#number('fits'),
      keep,
      settings: { pageLimit: 2, refreshDays: this.refreshDays, reconcileDays: this.#number('reconcile') },
    });
    this.shape = {
      longIds: this.#setting.has('long-ids'),
      fat: this.#setting.has('fat'),
      assetMember: this.world.settings.threatAssetField,
    };
  }

  #number(name: string): number | undefined {
    const word = [...this.#setting].find(setting => setting.startsWith(`${name}=`));
    return word === undefined ? undefined : Number(word.slice(name.length + 1));
  }

  /** @returns whether the word was possible */
  async play(word: string): Promise<boolean> {
    this.played.push(word);
    if (isSetting(word)) return true;
    if (isRun(word)) {
      await this.#run(word);
      return true;
    }
    await this.world.timeline.pass(WORD_MILLISECONDS);
    return this.#attempt(word);
  }

  #attempt(word: string): boolean {
    try {
      this.#change(word);
      if (this.forgetful.size > 0) this.#noteUnknown();
      return true;
    } catch (error) {
      if (error instanceof Impossible) return false;
      throw error;
    }
  }

  /** Lets the time between two runs pass, and runs the function. */
  async #run(word: string): Promise<void> {
    const { world } = this;
    const [verb = '', ...texts] = word.split(':');
    const [command = '', initial = ''] = verb.split('-');
    const frozen = this.#frozen;
    this.#frozen = undefined;
    const conditions = texts.map(text => this.#condition(text, frozen));
    await world.timeline.pass(command === 'soon' ? WORD_MILLISECONDS : BETWEEN_RUNS_MILLISECONDS);

    const number = world.runs + 1;
    if (texts.some(text => !text.startsWith('@'))) this.struck.add(number);
    if (command !== 'run' && command !== 'soon') this.again.add(number);
    if (initial === 'd') this.blocksAgain.add(number);
    if (world.lastPageLeads === 'back') this.#readsAgain();
    const losses = this.#lossesBefore(command, STREAM_OF[initial]);
    this.#isWithinRun = true;
    const ran = await this.#invoke(command, STREAM_OF[initial], conditions);
    this.#isWithinRun = false;
    this.last = ran;
    this.#noteCommand(command, STREAM_OF[initial], ran, losses);
    if (ran.process.frozen) this.#frozen = ran.process;
    if (frozen) {
      frozen.thaw();
      await world.timeline.until(() => frozen.stopped);
    }
    this.#noteFailure(ran, frozen !== undefined);
  }

  async #invoke(command: string, stream: StreamName | undefined, conditions: readonly Condition[]): Promise<Ran> {
    const { world } = this;
    if (command === 'twin') {
      // Its clock says what the clock of the first run said.
      const skew = world.skew;
      world.skew = this.#began - world.timeline.now;
      const ran = await world.run({}, conditions, world.twin);
      world.skew = skew;
      return ran;
    }
    if (world.runs === 0) this.#began = world.timeline.now;
    const streams = stream ? [stream] : [];
    if (command === 'resync') return world.run({ resync: streams }, conditions);
    if (command === 'since') return world.run({ replay: streams, since: this.#since }, conditions);
    if (command === 'replay' || command === 'sendall') return world.run({ replay: streams }, conditions);
    return world.run(command === 'confirm' ? { confirmWithdrawals: await this.#shownWithdrawals() } : {}, conditions);
  }

  /**
   * The events that the SIEM loses before the operator gives the command: all of the stream, or
   * those of the last hour.
   */
  #lossesBefore(command: string, stream: StreamName | undefined): Received[] {
    if (command !== 'replay' && command !== 'since') return [];
    const ofStream = this.world.events.filter(event => event.stream === stream);
    // A block is sent again by its own time, so one that was listed late is not: docs/limits.md.
    const isRecent = ({ made, time }: Received) =>
      made >= this.#since && (stream !== 'dns-blocks' || Date.parse(time!) >= this.#since);
    return command === 'replay' ? ofStream : ofStream.filter(isRecent);
  }

  /** An hour ago, by the clock of the function, which says when an event was made. */
  get #since(): number {
    return this.world.timeline.now + this.world.skew - HOUR;
  }

  /** The digest that an operator confirms: of the withdrawals that wait by the table. */
  async #shownWithdrawals(): Promise<string> {
    const send = async (command: Command) => this.world.main.table.execute(command);
    const table = createTable({ send }, 'table', { clock: systemClock, random: () => 0, timeLeft: () => 0 });
    const { streams } = await createCheckpointStore(table).load(STREAMS.map(({ name }) => name));
    const known = [...streams].flatMap(([stream, saved]) =>
      saved instanceof Error ? [] : [[stream, saved.checkpoint] as const],
    );
    return withdrawalsDigest(known, sha256);
  }

  /**
   * A SIEM that asks for a replay has lost what it had. A run that was killed before it could begin
   * the replay has not begun it.
   */
  #noteCommand(
    command: string,
    stream: StreamName | undefined,
    { process, outcome }: Ran,
    losses: readonly Received[],
  ): void {
    if (command !== 'run' && command !== 'soon' && outcome?.leaseHeld)
      this.world.breaches.push(`A run that found the lease held has dropped the command ${command}`);
    if (stream === undefined) return;
    if (command === 'resync') return;
    this.struck.add(process.run);
    this.#noteReplay(stream, process.run);
    if (command === 'since') this.sentSince.push({ stream, run: process.run });
    // A run that failed may not have begun it: the operator commands it again.
    if (!outcome || outcome.leaseHeld || outcome.failures.has(stream)) return;
    for (const event of losses) this.lost.add(event);
    if (command === 'sendall' && !this.isBehind) this.forgetful.delete(stream);
  }

  #noteReplay(stream: StreamName, run: number): void {
    this.replays.set(stream, new Set(this.replays.get(stream)).add(run));
  }

  #noteFailure({ process, outcome, error }: Ran, besideThawed: boolean): void {
    const failures = [...(outcome?.failures ?? [])].map(([stream, { message }]) => `${stream}: ${message}`);
    if (error && error.name !== 'LeaseBusyError') failures.push(error.message);
    const isExpected = this.struck.has(process.run) || besideThawed || this.world.organization > 0;
    if (failures.length > 0 && !isExpected)
      this.world.breaches.push(`A run failed that nothing befell. ${failures.join(' ')}`);
  }

  /** `after-7`, `lost-send2+`, `thaw-3`, `lands-9`, `@4-a`. */
  #condition(text: string, frozen: Process | undefined): Condition {
    const [, mark, operation, at, onward, change] = /^(@|[a-z-]+-)([a-z]*)(\d+)(\+?)(.*)$/.exec(text) ?? [];
    const moment: Moment = {
      operation: operation === '' ? undefined : (operation as Operation),
      at: Number(at),
      onward: onward === '+',
    };
    const isKnown = operation === '' || OPERATIONS.includes(operation as Operation);
    const kind = mark?.slice(0, -1);
    if (mark === '@' && isKnown) {
      this.changesWithinRuns = true;
      return { ...moment, onward: false, happen: () => void this.#attempt(`${onward}${change}`) };
    }
    if (kind === 'thaw' && isKnown) return { ...moment, happen: () => frozen?.thaw() };
    if (kind === 'lands' && isKnown) return { ...moment, happen: () => this.world.landStrays() };
    if (!isKnown || !FAULTS.includes(kind as Fault)) throw new SyntaxError(`Unknown fault: ${text}`);
    return { ...moment, fault: kind as Fault };
  }

  #change(word: string): void {
    const { world } = this;
    const [name = '', value = ''] = word.split('=');
    if (name === 'filter') {
      this.filter = value;
      this.#configure({ filters: optionsOf({ a: { assets: FILTER }, t: { threats: FILTER } }, value) });
    } else if (name === 'omit')
      this.#configure({ omit: optionsOf({ t: { threats: ['o'] }, d: { dnsBlocks: ['o'] } }, value) });
    else if (name === 'limit') world.settings = { ...world.settings, pageLimit: Number(value) };
    else if (name === 'wait') world.timeline.now += Number(value) * HOUR;
    else if (name === 'clock') this.#setClock(Number(value) * HOUR);
    else if (name === 'lists') world.listsNothing = value === 'none';
    else if (name === 'leads') world.lastPageLeads = value === 'on' ? undefined : (value as 'back' | 'nowhere');
    else if (name === 'client') {
      world.organization = value === 'other' ? 1 : 0;
      world.main.tokens = undefined;
    } else this.#changeState(word);
  }

  #changeState(word: string): void {
    const { world } = this;
    const { main, simulator } = world;
    if (word === 'rotate' || word === 'expire') {
      if (word === 'rotate') simulator.account.rotateSecret();
      simulator.account.expireTokens();
      this.#note(this.struck);
    } else if (word === 'bad') world.deliversBadRow = true;
    else if (word === 'forget') {
      world.forgetCursors();
      this.#readsAgain();
      this.#note(this.struck);
    } else if (word === 'backup') this.#backup = [...main.table.items()];
    else if (word === 'restore' || word === 'lose') this.#replaceTable(word === 'restore' ? this.#backup : []);
    else if (word === 'size' || word === 'less') this.#compareSize(word === 'less');
    else if (word.startsWith('has:')) this.#require(word.slice('has:'.length));
    else if (word === 'fails') this.#requireFailure();
    else if (/^[a-z]+<\d+$/.test(word)) this.#requireFewer(word);
    else if (word.startsWith('half:')) this.#requireHalf(word.slice('half:'.length));
    else {
      if (word.startsWith('-')) this.#noteHiddenMoves(word.slice(1));
      if (word.startsWith('+')) this.#refuseUnseenReturn(word.slice(1));
      changeRows(word, simulator, this.shape);
    }
  }

  #setClock(skew: number): void {
    if (skew < this.world.skew && this.world.isRunFrozen)
      throw new Impossible('The frozen run would take its lease for valid: docs/limits.md');
    this.world.skew = skew;
    this.#noteEpoch();
  }

  /** Notes the next run, and the one in which the word happens. */
  #note(runs: Set<number>): void {
    if (this.#isWithinRun) runs.add(this.world.runs);
    runs.add(this.world.runs + 1);
  }

  /** Another filter reads each stream again, and may show versions that were shown before. */
  #configure(change: Partial<Settings>): void {
    this.world.settings = { ...this.world.settings, ...change };
    this.#note(this.again);
  }

  #readsAgain(): void {
    this.#note(this.again);
    this.#note(this.blocksAgain);
  }

  #replaceTable(items: readonly Item[] | undefined): void {
    if (!items) throw new Impossible('There is no backup');
    if (items.length === 0 && this.world.isRunFrozen)
      throw new Impossible('The frozen run may name its log in the new table: docs/limits.md');
    const { main } = this.world;
    this.#leastEpoch = Math.max(this.#leastEpoch, this.world.epoch);
    this.#noteEpoch();
    main.table = new Table(this.#keep, items);
    this.#readsAgain();
    this.#note(this.struck);
    for (const stream of Object.values(STREAM_OF)) {
      this.forgetful.add(stream);
      this.#noteReplay(stream, this.world.runs + 1);
    }
    this.#noteUnknown();
  }

  /** Behind the epochs of the table before, a new table gives sequences that the SIEM has seen. */
  #noteEpoch(): void {
    const { timeline, skew } = this.world;
    if (epochAt(timeline.now + skew) < this.#leastEpoch) this.isBehind = true;
  }

  /**
   * Rows that the SIEM has, that are gone or filtered, and that the table does not know as sent.
   */
  #noteUnknown(): void {
    const { main, simulator } = this.world;
    for (const stream of ['assets', 'threats'] as const)
      for (const [id, { members, deletedAt }] of simulator.tenantData.streams[stream].latest) {
        const held = this.heldOf(id);
        const isFiltered = this.filter.includes(stream[0]!) && String(members).includes('"c":2,');
        const isGone = stream === 'threats' && !simulator.tenantData.isLive(stream, id);
        const state = main.table.get(rowKey(stream, id, sha256));
        const isKnown = state?.['status']?.S === 'live' || deletedAt > 0;
        if (held?.kind === 'upsert' && (isGone || isFiltered) && !isKnown)
          this.unknown.set(`${stream} ${id}`, held.sequence);
      }
  }

  /**
   * The table must not grow when changes return to where they began, and must shrink when rows are
   * removed.
   */
  #compareSize(isLess: boolean): void {
    const { size } = this.world.main.table;
    const before = this.#size;
    if (before !== undefined && (isLess ? size >= before : size !== before))
      this.world.breaches.push(`The table had ${before} items, and now it has ${size}`);
    this.#size = size;
  }

  /**
   * `has:a=2`: the SIEM has this content. `has:-a`: it has no such row, or knows that it is gone.
   */
  #require(text: string): void {
    const [, gone, name = '', content] = /^(-?)(\w+?)(?:=(\d))?$/.exec(text) ?? [];
    for (const id of idsOf(name, this.shape)) {
      const held = this.heldOf(id);
      const exists = held !== undefined && held.kind !== 'withdrawn' && held.kind !== 'tombstone';
      const isRight = gone ? !exists : exists && (content === undefined || held.content?.includes(`"c":${content},`));
      if (!isRight) this.world.breaches.push(`${text} is expected: ${held?.line ?? 'the SIEM does not have it'}`);
    }
  }

  #requireFailure(): void {
    const { outcome, error } = this.last!;
    if (!error && !outcome?.failures.size) this.world.breaches.push('A failure of the run before is expected');
  }

  /** `page<5`: the run before has made fewer requests of the operation. */
  #requireFewer(word: string): void {
    const [operation = '', most = ''] = word.split('<');
    if (!OPERATIONS.includes(operation as Operation)) throw new SyntaxError(`Unknown operation: ${word}`);
    const made = this.last?.process.count(operation as Operation) ?? 0;
    if (made >= Number(most)) this.world.breaches.push(`${word} is expected: the run made ${made}`);
  }

  /** `half:T`: the SIEM has half of these rows at least. */
  #requireHalf(name: string): void {
    const ids = idsOf(name, this.shape);
    const held = ids.filter(id => this.heldOf(id)?.kind === 'upsert');
    if (held.length * 2 < ids.length) this.world.breaches.push(`The SIEM has ${held.length} of ${ids.length} ${name}`);
  }

  /** The event that holds for an id: the one with the greatest sequence. */
  heldOf(id: string): Received | undefined {
    const events = this.world.events.filter(event => event.id === id && event.connector === 'main');
    return events.reduce<Received | undefined>(
      (held, event) => (held && held.sequence >= event.sequence ? held : event),
      undefined,
    );
  }

  /** Threats would return behind the cursor although nothing has shown that they were gone. */
  #refuseUnseenReturn(name: string): void {
    if (!this.#setting.has('old-positions') || this.#number('withhold') === undefined) return;
    const { table } = this.world.main;
    const statuses = idsOf(name, this.shape).map(id => table.get(rowKey('assets', id, sha256))?.['status']?.S);
    if (statuses.some(status => status !== 'removed'))
      throw new Impossible('The removal was not listed: docs/limits.md');
  }

  #noteHiddenMoves(name: string): void {
    const { simulator, main } = this.world;
    const assets = idsOf(name, this.shape);
    const logged = loggedEvents(main, 'threats');
    for (const { id, parentId } of simulator.tenantData.streams.threats.latest.values()) {
      if (!assets.includes(parentId)) continue;
      const onItsWay = logged.findLast(event => event.id === id);
      const held = this.heldOf(id);
      const last = onItsWay && onItsWay.sequence > (held?.sequence ?? '') ? onItsWay : held;
      const isUnseen = main.table.get(rowKey('assets', parentId, sha256))?.['row_hash']?.S === '';
      if (last && last.kind !== 'withdrawn' && (last.asset !== parentId || isUnseen))
        this.hidden.set(id, last.sequence);
    }
  }
}

/** The options of the streams whose initials are in the value. */
function optionsOf<T extends object>(byInitial: Readonly<Record<string, T>>, initials: string): T {
  const chosen = Object.entries(byInitial).filter(([initial]) => initials.includes(initial));
  return Object.assign({}, ...chosen.map(([, option]) => option)) as T;
}
