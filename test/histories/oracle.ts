/** The promise, held against what a history left behind. Every sentence returned is a breach. */
import type { StreamName } from '../../lambda/streams.ts';
import type { Stage } from './language.ts';
import { BAD_ROW, contentOf, type DeliveredRow, type Page, type Received, withoutOmitted } from './world.ts';

const HOUR = 3_600_000;
/**
 * Longer than anything that the connector waits for: the hour before a sweep, the six hours between
 * two readings of restored assets.
 */
const REST_HOURS = 7;
/** Nothing is withheld for longer. */
const WITHHELD_MILLISECONDS = 120_000;
const MOST_RUNS_TO_REST = 8;
/** Of a run that finds nothing new. */
const QUIET = { pages: 3, tableCalls: 4 } as const;
/**
 * A clock that went back gives an epoch that the lease has passed: the run reads the lease and
 * takes the next epoch.
 */
const EPOCH_AHEAD_CALLS = 2;

export class Oracle {
  readonly #stage: Stage;
  readonly #lost: string[] = [];
  /** Pages that were held against what was sent, when the cursor after them was first followed. */
  readonly #saved = new Set<Page>();

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.world.onSavedCursor = (stream, before) => this.#requireSent(stream, before);
  }

  /** Lets the connector come to rest. @returns what is wrong then */
  async breaches(): Promise<string[]> {
    const { world, played } = this.#stage;
    // A lease that was taken an hour ahead lasts as long.
    if (played.some(word => word.includes('clock='))) world.timeline.now += 2 * HOUR;
    world.organization = 0;
    world.listsNothing = false;
    world.lastPageLeads = undefined;
    world.skew = Math.max(world.skew, 0);
    world.settings = { ...world.settings, refreshDays: undefined, reconcileDays: undefined };
    // A list without rows proves nothing, so a second walk would wait for a row.
    if (world.simulator.truth().threats.size === 0) for (const word of ['y=1', 'z=1@y']) await this.#stage.play(word);
    world.timeline.now += WITHHELD_MILLISECONDS;
    const unrest = await this.#unrest();
    return [
      ...(unrest === undefined ? [] : [unrest]),
      ...world.breaches,
      ...this.nothingLost(),
      ...this.onlyChanges(),
      ...this.removalsReachTheSiem(),
      ...this.copyConverges(),
      ...this.valuesUntouched(),
      ...this.#leftovers(),
      ...(await this.#notRefreshed()),
      ...(await this.#notHealed()),
    ];
  }

  /**
   * Whether a second walk may be put off for hours. A command, another filter or a restored asset
   * begins a second walk.
   */
  get #putsOff(): boolean {
    return (
      this.#stage.again.size > 0 || this.#stage.played.some(word => word.includes('+') || word.startsWith('reconcile'))
    );
  }

  /**
   * Promise 1: every row version that the API delivered is with the SIEM, or among the dead
   * letters, before its cursor is saved.
   */
  nothingLost(): string[] {
    const { world } = this.#stage;
    const letters = [...world.main.bucket.values()].map(bytes => Buffer.from(bytes).toString());
    const isBadRowLost = world.badRowWasDelivered && !letters.some(letter => letter.includes(BAD_ROW));
    return [...this.#lost, ...(isBadRowLost ? ['The row without an id is not among the dead letters'] : [])];
  }

  /**
   * Promise 2: an event has news for the SIEM. Only what befell a run excuses a repeat, which then
   * is the same event.
   */
  onlyChanges(): string[] {
    const last = new Map<string, Received>();
    const byLine = new Map<string, Received>();
    const byEventId = new Map<string, Received>();
    return this.#stage.world.events.flatMap(event => {
      const key = `${event.connector} ${keyOf(event)}`;
      const [before, same, namesake] = [last.get(key), byLine.get(event.line), byEventId.get(event.eventId)];
      // A late one has been overtaken by what a later run sent.
      const isLate = before !== undefined && event.sequence < before.sequence;
      if (!isLate) last.set(key, event);
      byLine.set(event.line, event);
      byEventId.set(event.eventId, event);
      if (namesake && !isSameEvent(namesake, event, this.#stage.isBehind))
        return [`Two events have one event_id: ${namesake.line} and ${event.line}`];
      if (same) return this.#isDisturbed(same, event) ? [] : [`Sent twice without a cause: ${event.line}`];
      if (isLate && this.#isDisturbed(before, event)) return [];
      if (event.kind === 'tombstone' && !this.#mayBeUnknown(before))
        return [`The SIEM does not have it: ${event.line}`];
      if (this.#isReplaced(event)) return [`A later row of its page has replaced it: ${event.line}`];
      return event.refresh ? this.#refreshBreaches(before, event) : this.#repeatBreaches(before, event);
    });
  }

  /** Within a page the last row of an id counts. */
  #isReplaced({ stream, id, content }: Received): boolean {
    const { superseded, lasting } = this.#stage.world;
    const row = `${stream} ${id} ${content}`;
    return superseded.has(row) && !lasting.has(row);
  }

  /** A tombstone of an asset that was never sent is none of the SIEM's business. */
  #mayBeUnknown(before: Received | undefined): boolean {
    const { struck, again } = this.#stage;
    return (before !== undefined && before.kind !== 'withdrawn') || struck.size > 0 || again.size > 0;
  }

  #repeatBreaches(before: Received | undefined, event: Received): string[] {
    const { everyVersion, again, blocksAgain } = this.#stage;
    const isBlock = event.stream === 'dns-blocks';
    if (before?.kind !== event.kind || (before.content !== event.content && !isBlock)) return [];
    const isReadAgain = isBlock
      ? isBetween(blocksAgain, before, event)
      : everyVersion && isBetween(again, before, event);
    if (isBlock && before.eventId !== event.eventId) return [`A block has another event_id: ${event.line}`];
    if (this.#isReplayed(before, event)) return [];
    // Events of a killed run are sent again from its log, and their line is known. Blocks have no
    // log.
    const isStruck = isBlock && this.#isDisturbed(before, event);
    if (!isStruck && !isReadAgain) return [`Nothing new: ${event.line}`];
    const isRepeat = !isBetween(again, before, event) && event.kind !== 'withdrawn' && isSameRow(before, event);
    return isRepeat && before.eventId !== event.eventId
      ? [`A repeat has another event_id: ${event.line} after ${before.line}`]
      : [];
  }

  /** A replay, and a table that was lost, send each row once more. */
  #isReplayed(before: Received, event: Received): boolean {
    const { replays, sentSince } = this.#stage;
    const isSentSince = sentSince.some(({ stream, run }) => {
      // The run sends the batch of a killed run, too. Blocks that are new meanwhile are sent twice,
      // because they have no states.
      const isDue = event.stream === 'dns-blocks' || run >= before.run;
      return stream === event.stream && run <= event.run && isDue;
    });
    // Before its replay a run does the unfinished batch of an earlier run again, as it was.
    const isDue = (run: number) => run <= event.run && (run > before.run || (run === before.run && before.redone));
    return isSentSince || [...(replays.get(event.stream) ?? [])].some(isDue);
  }

  /** A refresh repeats exactly what the SIEM has, once that is old. */
  #refreshBreaches(before: Received | undefined, event: Received): string[] {
    if (before && this.#isDisturbed(before, event)) return [];
    if (before?.kind !== event.kind || before.content !== event.content)
      return [`Refreshed although the SIEM has something else: ${event.line}`];
    const least = (this.#stage.refreshDays! * 24 * HOUR) / 3;
    return event.made - before.made < least ? [`Refreshed too early: ${event.line}`] : [];
  }

  /**
   * Something befell a run from the one that sent the first event to the one that sent the second.
   */
  #isDisturbed(before: Received, event: Received): boolean {
    return isBetween(this.#stage.struck, before, event);
  }

  /** Promise 3: removed assets and their threats are gone, and nothing is withdrawn that exists. */
  removalsReachTheSiem(): string[] {
    const { world, struck, changesWithinRuns } = this.#stage;
    const needless = world.events.filter(({ kind, reason, existed, assetExisted }) => {
      // The API may have changed after the run had read it.
      if (kind !== 'withdrawn' || struck.size > 0 || changesWithinRuns) return false;
      return reason === undefined ? assetExisted : reason !== 'filtered' && existed;
    });
    const unannounced = [...this.expectedRows().get('assets')!].filter(([id, row]) => {
      return isTombstone(row) && this.#stage.heldOf(id)?.kind === 'upsert' && !this.#stage.forgetful.has('assets');
    });
    const undated = world.events.filter(({ kind, time }) => kind === 'withdrawn' && !time);
    return [
      ...undated.map(({ line }) => `The withdrawal has no time: ${line}`),
      ...unannounced.map(([, row]) => `The SIEM does not know of this removal: ${row}`),
      ...needless.map(({ line }) => `Withdrawn although it exists: ${line}`),
    ];
  }

  /**
   * Promise 4: by the greatest sequence the SIEM's copy is what the API answers, also if it drops
   * event_ids that it knows.
   */
  copyConverges(): string[] {
    const copies = { 'the copy': this.#copy(), 'the copy without known event_ids': this.#copy(true) };
    const bySequence = new Map<string, string>();
    const doubles =
      this.#stage.forgetful.size > 0
        ? []
        : this.#stage.world.events.filter(({ sequence, line, connector }) => {
            const before = bySequence.get(connector + sequence);
            bySequence.set(connector + sequence, line);
            return before !== undefined && before !== line;
          });
    return [
      ...Object.entries(copies).flatMap(([which, copy]) =>
        this.#unlikeTruth(copy).map(breach => `In ${which}: ${breach}`),
      ),
      ...doubles.map(({ line }) => `Two events have one sequence: ${line}`),
    ];
  }

  /** Promise 5: each row is the text that the API sent, but for members that are left out. */
  valuesUntouched(): string[] {
    const { delivered, events } = this.#stage.world;
    const changed = events.filter(
      ({ stream, id, content }) => content !== undefined && !delivered.has(`${stream} ${id} ${content}`),
    );
    return changed.map(({ line }) => `The API sent no such row: ${line}`);
  }

  /**
   * No log stays in the bucket that the table has named, and nothing of another organization was
   * sent.
   */
  #leftovers(): string[] {
    const { world, forgetful, played } = this.#stage;
    const logs = [...world.main.bucket.keys()].filter(key => world.named.has(key));
    const foreign = world.events.filter(({ id }) => world.rowsOfAnother.has(id));
    // A table that was lost names them no more, and an object that was stored late is stored again.
    const isExcused = forgetful.size > 0 || played.some(word => word.includes('stray'));
    return [
      ...(logs.length > 0 && !isExcused ? [`The bucket keeps ${logs.join(' ')}`] : []),
      ...foreign.map(({ line }) => `The row is another organization's: ${line}`),
    ];
  }

  /** By stream and id the rows that the SIEM should have, tombstones of removed assets included. */
  expectedRows(): Map<StreamName, Map<string, string>> {
    const { world } = this.#stage;
    const streams = Object.entries(world.simulator.truth()).map(([stream, rows]) => {
      const kept = [...rows].filter(([, text]) => !this.#isFiltered(stream, JSON.parse(text)));
      return [stream, new Map(kept.map(([id, text]) => [id, this.#expected(stream, id, text)]))] as const;
    });
    return new Map(streams as [StreamName, Map<string, string>][]);
  }

  #unlikeTruth(copy: ReadonlyMap<string, Received>): string[] {
    const { forgetful } = this.#stage;
    const expected = this.expectedRows();
    const ghosts = [...copy.values()].filter(event => {
      const { kind, stream, id } = event;
      const row = expected.get(stream)!.get(id);
      return (
        !this.#isHidden(event) &&
        !this.#isUnknown(event) &&
        !forgetful.has(stream) &&
        kind !== 'withdrawn' &&
        kind !== 'tombstone' &&
        (!row || isTombstone(row))
      );
    });
    const unlike = [...expected].flatMap(([stream, rows]) =>
      [...rows].filter(([id, row]) => {
        // A tombstone of an asset that the SIEM never had, or has as withdrawn, is not for it.
        if (forgetful.has(stream) || isTombstone(row)) return false;
        const event = copy.get(`${stream} ${id}`);
        if (event && this.#isHidden(event)) return false;
        const held = event?.content;
        // A DNS block keeps its event_id whatever members are omitted, so a SIEM may have dropped
        // the later one.
        const isSame =
          stream === 'dns-blocks' && held !== undefined && withoutOmitted(held) === withoutOmitted(contentOf(row));
        return !isSame && held !== contentOf(row);
      }),
    );
    return [
      ...ghosts.map(({ line }) => `This should be gone: ${line}`),
      ...unlike.map(([, row]) => `This is missing: ${row}`),
    ];
  }

  /** Nothing has shown since that the threat has moved to an asset that was removed at once. */
  #isHidden({ stream, id, sequence }: Received): boolean {
    const last = this.#stage.hidden.get(id);
    return stream === 'threats' && last !== undefined && sequence <= last;
  }

  #isUnknown(event: Received): boolean {
    const last = this.#stage.unknown.get(keyOf(event));
    return last !== undefined && event.sequence <= last;
  }

  /** A resync heals what a hidden move has left. */
  async #notHealed(): Promise<string[]> {
    const left = [...this.#copy().values()].filter(event => this.#isHidden(event));
    if (left.length === 0) return [];
    await this.#stage.play('resync-t');
    const unrest = await this.#unrest();
    const breaches = this.#unlikeTruth(this.#copy()).map(breach => `A resync does not heal it. ${breach}`);
    return unrest === undefined ? breaches : [unrest, ...breaches];
  }

  #isFiltered(stream: string, row: { readonly c: number; readonly deleted?: boolean }): boolean {
    return this.#stage.filter.includes(stream[0]!) && row.c === 2 && row.deleted !== true;
  }

  /** A block that was sent with the member stays as it was sent. */
  #expected(stream: string, id: string, row: string): string {
    const { events, settings } = this.#stage.world;
    const sent = events.findLast(event => event.stream === 'dns-blocks' && event.id === id);
    const isOmitted = stream === 'threats' ? settings.omit?.threats : sent && !sent.content?.includes('"o":');
    return isOmitted ? withoutOmitted(row) : row;
  }

  /**
   * The SIEM's copy: the event with the greatest sequence for each row, without the events that the
   * SIEM lost before a replay.
   */
  #copy(dropsKnown = false): ReadonlyMap<string, Received> {
    const { world, lost } = this.#stage;
    const copy = new Map<string, Received>();
    const known = new Set<string>();
    for (const event of world.events) {
      if (event.connector !== 'main' || lost.has(event)) continue;
      if (dropsKnown && known.has(event.eventId)) continue;
      known.add(event.eventId);
      const held = copy.get(keyOf(event));
      if (!held || event.sequence > held.sequence) copy.set(keyOf(event), event);
    }
    return copy;
  }

  /**
   * Runs until one has nothing to do.
   *
   * @returns how many runs that took, or nothing when none of them was quiet
   */
  async #rest(): Promise<number | undefined> {
    const { world } = this.#stage;
    for (let run = 1; run <= MOST_RUNS_TO_REST; run++) {
      const [sent, written] = [world.events.length, world.main.table.written.length];
      await this.#stage.play('run');
      // The lease alone is written.
      if (world.events.length === sent && new Set(world.main.table.written.slice(written)).size <= 1) return run;
    }
    return undefined;
  }

  /**
   * @returns what is wrong when the connector does not come to rest, not even once everything is
   * done that was put off
   */
  async #unrest(): Promise<string | undefined> {
    let runs = await this.#rest();
    for (let round = 0; this.#putsOff && round < MOST_RUNS_TO_REST && runs !== undefined; round++) {
      this.#stage.world.timeline.now += REST_HOURS * HOUR;
      runs = await this.#rest();
      if (runs === 1) return this.#loudness();
    }
    return runs === undefined || this.#putsOff ? 'The connector does not come to rest' : this.#loudness();
  }

  /** The run before has found nothing: it may ask for little. */
  #loudness(): string | undefined {
    const { last, struck, world } = this.#stage;
    const { process } = last!;
    if (struck.has(process.run)) return undefined;
    const pages = process.count('page', 'row') - process.declined;
    const calls = process.count('get', 'query', 'scan', 'update') - (world.isEpochAhead ? EPOCH_AHEAD_CALLS : 0);
    if (pages > QUIET.pages) return `A quiet run asks the API ${pages} times`;
    return calls > QUIET.tableCalls ? `A quiet run asks the table ${calls} times` : undefined;
  }

  /**
   * Promise of `refreshDays`, where nothing has befallen the runs: an hourly run sends every row
   * again in time.
   */
  async #notRefreshed(): Promise<string[]> {
    const { world, refreshDays, struck, changesWithinRuns } = this.#stage;
    if (refreshDays === undefined || struck.size > 0 || changesWithinRuns) return [];
    world.settings = { ...world.settings, refreshDays };
    for (let hour = 0; hour <= refreshDays * 24; hour++) {
      world.timeline.now += HOUR;
      await this.#stage.play('run');
    }
    const since = world.timeline.now - refreshDays * 24 * HOUR;
    return [...this.#copy().values()]
      .filter(event => event.kind === 'upsert' && event.stream !== 'dns-blocks' && !this.#isHidden(event))
      .filter(({ made }) => made <= since)
      .map(({ line }) => `Not refreshed within ${refreshDays} days: ${line}`);
  }

  /** A later run followed the cursor after these pages. */
  #requireSent(stream: StreamName, page: Page): void {
    // A second walk may hold back what it finds, and a lost table remembers no cursor.
    if (this.#putsOff || this.#stage.forgetful.size > 0 || this.#stage.refreshDays !== undefined) return;
    for (let read: Page | undefined = page; read && !this.#saved.has(read); read = read.before) {
      this.#saved.add(read);
      for (const row of read.rows) if (!this.#isSent(stream, row)) this.#lost.push(lossOf(stream, row));
    }
  }

  #isSent(stream: StreamName, { id, content, deleted }: DeliveredRow): boolean {
    const { events, superseded } = this.#stage.world;
    if (superseded.has(`${stream} ${id} ${content}`)) return true;
    const ofRow = events.filter(event => event.id === id && event.stream === stream);
    if (deleted && (ofRow.length === 0 || this.#stage.filter !== '')) return true;
    if (this.#isFiltered(stream, JSON.parse(content))) return true;
    return ofRow.some(event => event.content === content || event.content === withoutOmitted(content));
  }
}

function isTombstone(row: string): boolean {
  return row.includes('"deleted":true');
}

function keyOf({ stream, id }: Received): string {
  return `${stream} ${id}`;
}

function lossOf(stream: StreamName, { content }: DeliveredRow): string {
  return `A cursor was saved before this ${stream} row was sent: ${content}`;
}

function isBetween(runs: ReadonlySet<number>, one: Received, other: Received): boolean {
  // What a frozen run sends may arrive after what the next one sent.
  const [since, until] = [Math.min(one.run, other.run), Math.max(one.run, other.run)];
  return [...runs].some(run => run >= since && run <= until);
}

/**
 * @param isBehind whether sequences may repeat, so that the same row may become the same event
 * later
 */
function isSameEvent(one: Received, other: Received, isBehind: boolean): boolean {
  const isSameLine = one.line === other.line || (isBehind && withoutTime(one.line) === withoutTime(other.line));
  return (
    keyOf(one) === keyOf(other) && one.connector === other.connector && (other.stream === 'dns-blocks' || isSameLine)
  );
}

function withoutTime(line: string): string {
  return line.replace(/"forwarded_at":"[^"]*"/, '');
}

const POSITION = /"stream_position":"[^"]*"/;

function isSameRow(one: Received, other: Received): boolean {
  return POSITION.exec(one.line)?.[0] === POSITION.exec(other.line)?.[0] && one.line.length === other.line.length;
}
