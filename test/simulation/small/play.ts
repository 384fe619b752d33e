/**
 * Histories as words, so that one that fails can be read, typed and shortened:
 *
 *     a=1      asset a (or b) has content 1              t=2@a   threat t (or u) has content 2 and belongs to a
 *     -a +a    a is removed, restored                    ~a ~t   is delivered again, unchanged
 *     ?b       tombstone of an asset never seen          d1      DNS block d1
 *     filter:t filter:a filter:at filter:                withholds threats, assets, both, nothing with content 2
 *     omit:t omit:d omit:                                leaves the member "o" out of threats, of DNS blocks, of nothing
 *     limit:2  page limit                                forget  the API refuses every cursor issued so far
 *     wait:8   hours pass                                 rotate  the secret is rotated
 *     run      the function runs; also resync-t replay-d repair
 *     run:after-7   … and is killed after its 7th I/O. See FAULTS. run:freeze-7 run:thaw-3 run the next beside a frozen one
 *     run:@7-a      … and a is removed before its 7th I/O
 */

import type { Commands } from '../../../lambda/core/run-streams.ts';
import { passMilliseconds } from '../../../lambda/refresh-pace.ts';
import { STREAMS } from '../../../lambda/streams.ts';
import type { PlatformSettings } from '../../../local/platform/settings.ts';
import { sequencesUsedTwice, unlikeTruth } from '../../support/promise.ts';
import { copyOf, greatestSequence, keyOf } from '../../support/siem.ts';
import { type Change, FAULTS, type Fault, type Received, Scene, type Strike, streamOf } from './scene.ts';

export interface Setting {
  readonly platform: Partial<PlatformSettings>;
  readonly pageLimit: number;
  readonly refreshDays?: number;
  /** Every history ends with a repair, which also finds what disappears without any sign. */
  readonly repairs?: true;
}

const STREAM_OF = { a: 'assets', t: 'threats', d: 'dns-blocks' } as const;
const HOUR = 3_600_000;

/** A history at work, word by word. */
export class Stage {
  readonly scene: Scene;
  readonly words: string[] = [];
  /** I/Os of the last run. */
  ios = 0;
  readonly #setting: Setting;
  #filter = '';
  /** By stream how many events the SIEM has lost. */
  readonly #lost = new Map<string, number>();
  /** Numbers of the runs with which a walk began again over versions that may be older … */
  readonly #again = new Set<number>();
  /** … and of those with which the walk of DNS blocks did. */
  readonly #blocksAgain = new Set<number>();

  constructor(setting: Setting) {
    this.#setting = setting;
    this.scene = new Scene(setting.platform, setting.pageLimit);
    this.scene.settings = { ...this.scene.settings, refreshDays: setting.refreshDays };
  }

  /** @returns whether the word made sense, and did something */
  async play(word: string): Promise<boolean> {
    this.words.push(word);
    if (/^(run|resync|replay|repair)/.test(word)) {
      await this.#run(word);
      return true;
    }
    this.scene.now += 1_000;
    return this.#changeIfPossible(word);
  }

  #changeIfPossible(word: string): boolean {
    try {
      this.#change(word);
      return true;
    } catch (error) {
      if (error instanceof SyntaxError) throw error;
      return false;
    }
  }

  async #run(word: string): Promise<void> {
    const [verb = '', ...conditions] = word.split(':');
    const [command, initial] = verb.split('-') as [string, keyof typeof STREAM_OF | undefined];
    const strikes: Strike[] = [];
    let thaw: number | undefined;
    let change: Change | undefined;
    for (const condition of conditions) {
      const [, place, changed = ''] = /^@(\d+)(.+)$/.exec(condition) ?? [];
      const [kind, at] = condition.split('-');
      if (place) change = { at: Number(place), happen: () => this.#changeIfPossible(changed) };
      else if (kind === 'thaw') thaw = Number(at);
      else if (FAULTS.includes(kind as Fault)) strikes.push({ fault: kind as Fault, at: Number(at) });
      else throw new SyntaxError(`No such fault: ${condition}`);
    }
    const commands: Partial<Commands> =
      command === 'repair'
        ? { repair: this.#wrong() }
        : command === 'run'
          ? {}
          : { [command]: initial ? [STREAM_OF[initial]] : [] };
    if (command !== 'run') this.#again.add(this.scene.runs + 1);
    if (initial === 'd') this.#blocksAgain.add(this.scene.runs + 1);
    if (command === 'replay') this.scene.struck.add(this.scene.runs + 1);
    const { events } = this.scene;
    const sent = events.length;
    const generation = this.#generationOf(initial);
    this.ios = await this.scene.run(commands, strikes, thaw, change);
    // A SIEM that asks for a replay has lost what it had. A run that was killed before has not begun it.
    if (command === 'replay' && this.#generationOf(initial) !== generation) this.#lost.set(STREAM_OF[initial!], sent);
  }

  #generationOf(initial: keyof typeof STREAM_OF | undefined): string | undefined {
    const key = `connector\ncheckpoint#${initial && STREAM_OF[initial]}`;
    return this.scene.items.get(key)?.['generation']?.N;
  }

  /** What the SIEM has: not what it lost before a replay. */
  get #held(): Received[] {
    return this.scene.events.filter(({ stream }, index) => index >= (this.#lost.get(stream) ?? 0));
  }

  /** Ids of rows of which the SIEM's copy is wrong. */
  #wrong(): Record<'assets' | 'threats', string[]> {
    const wrong = unlikeTruth(copyOf(this.#held, greatestSequence), Object.entries(this.#truth().kept));
    const ids = (stream: string) =>
      wrong.flatMap(breach => (breach.startsWith(`${stream} `) ? [breach.split(' ')[1]!] : []));
    return { assets: ids('assets'), threats: ids('threats') };
  }

  #change(word: string): void {
    const { platform, scene } = { platform: this.scene.platform, scene: this.scene };
    const put = /^([abtu])=(\d)(?:@([ab]))?$/.exec(word);
    if (put) {
      const [, id = '', content, asset] = put;
      const stream = streamOf(id) as 'assets' | 'threats';
      const known = platform.tenantData.streams[stream].latest.get(id);
      const isThreat = stream === 'threats';
      if (isThreat && known && !platform.tenantData.isLive('threats', id)) throw new Error('hidden');
      // A threat that moves to a removed asset would disappear without any sign.
      if (isThreat && asset && !platform.tenantData.isLive('assets', asset)) throw new Error('its asset is removed');
      const members = isThreat && asset ? `,"${this.scene.settings.threatAssetField}":"${asset}"` : '';
      platform.put(
        stream,
        `{"id":"${id}","updated_at":"2026-01-01T00:00:00.000Z","c":${content},"o":"${content}"${members}}`,
      );
      return;
    }
    const [, verb, id = ''] = /^([-+~?])([abtu])$/.exec(word) ?? [];
    if (verb === '-') {
      if (!this.#setting.repairs && this.#hidesMove(id))
        throw new Error('nothing would show that a threat moved to it');
      platform.remove('assets', id);
    } else if (verb === '+') platform.restore('assets', id);
    else if (verb === '~') platform.redeliver(streamOf(id) as 'assets', id);
    else if (verb === '?') platform.tombstoneUnseen('assets', id);
    else if (/^d\d$/.test(word)) {
      if (platform.tenantData.streams['dns-blocks'].ids.has(word)) throw new Error('known');
      platform.put('dns-blocks', `{"id":"${word}","c":1,"o":"${word}"}`);
    } else if (word.startsWith('filter:')) {
      this.#filter = word.slice(7);
      const filter = 'c != `2`';
      const filters = {
        ...(this.#filter.includes('a') && { assets: filter }),
        ...(this.#filter.includes('t') && { threats: filter }),
      };
      this.#configure({ filters });
    } else if (word.startsWith('omit:')) {
      const initials = word.slice(5);
      const omit = {
        ...(initials.includes('t') && { threats: ['o'] }),
        ...(initials.includes('d') && { dnsBlocks: ['o'] }),
      };
      this.#configure({ omit });
    } else if (word.startsWith('limit:')) scene.settings = { ...scene.settings, pageLimit: Number(word.slice(6)) };
    else if (word === 'forget') {
      scene.forgetCursors();
      this.#again.add(scene.runs + 1);
      this.#blocksAgain.add(scene.runs + 1);
      scene.struck.add(scene.runs + 1);
    } else if (word.startsWith('wait:')) scene.now += Number(word.slice(5)) * HOUR;
    else if (word === 'rotate') platform.account.rotateSecret();
    else throw new SyntaxError(`No such word: ${word}`);
  }

  /** A threat that moves to an asset which is removed before it was read disappears without any sign: docs/limits.md. */
  #hidesMove(asset: string): boolean {
    const copy = copyOf(this.scene.events, greatestSequence);
    return [...this.scene.platform.tenantData.streams.threats.latest.values()].some(({ id, parentId }) => {
      const held = copy.get(keyOf('threats', id));
      return parentId === asset && held?.kind === 'upsert' && held.parent !== asset;
    });
  }

  /** Another selection reads every stream again, and may show versions that were shown before. */
  #configure(change: object): void {
    this.scene.settings = { ...this.scene.settings, ...change };
    this.#again.add(this.scene.runs + 1);
  }

  /** Runs without faults until one sends nothing. @returns what is wrong then */
  async check(): Promise<string[]> {
    const { scene } = this;
    scene.settings = { ...scene.settings, refreshDays: undefined };
    let runs = 0;
    let lookUps = 0;
    for (let sent = -1; sent !== scene.events.length; runs++) {
      sent = scene.events.length;
      lookUps = scene.lookUps;
      await scene.run({});
      if (runs === 5) return [...scene.breaches, 'The connector does not come to rest'];
    }
    // The runs after a kill look up what it left unconfirmed, and the first one after a change of the configuration reads again.
    const isUndisturbed = scene.struck.size === 0 && (runs > 1 || this.words.at(-1) === 'run');
    const isQuiet = isUndisturbed && this.#setting.platform.retention !== 'every-version';
    const before = this.#stateText();
    const { pages } = scene;
    await scene.run({});
    const { kept, withheld } = this.#truth();
    const firstKept = new Map<string, Received>();
    for (const event of this.#held) if (!firstKept.has(event.eventId)) firstKept.set(event.eventId, event);
    const copies = [
      ['the copy', this.#held],
      ['the copy of a SIEM that drops known event_ids', [...firstKept.values()]],
    ] as const;
    return [
      ...scene.breaches,
      ...copies.flatMap(([which, events]) => {
        const copy = copyOf(events, greatestSequence);
        // It was restored, and the filter excludes it: to the SIEM it stays removed.
        for (const key of withheld) if (copy.get(key)?.kind === 'tombstone') copy.delete(key);
        return unlikeTruth(copy, Object.entries(kept)).map(breach => `In ${which}, ${breach}`);
      }),
      ...sequencesUsedTwice(scene.events),
      ...this.#needless(),
      ...(this.#stateText() === before ? [] : ['A quiet run still changes the table']),
      ...(scene.pages - pages > STREAMS.length ? ['A quiet run reads more than the last page of a stream'] : []),
      ...(isQuiet && scene.lookUps > lookUps ? ['A quiet run looks rows up'] : []),
      ...this.#left(),
      ...(await this.#notRefreshed(kept)),
    ];
  }

  /** Promise of `refreshDays`, where nothing has disturbed the runs: an hourly run sends every row again in time. */
  async #notRefreshed(kept: Readonly<Record<string, ReadonlyMap<string, string>>>): Promise<string[]> {
    const { scene } = this;
    const { refreshDays } = this.#setting;
    if (refreshDays === undefined || scene.struck.size > 0 || scene.changesWithinRuns) return [];
    scene.settings = { ...scene.settings, refreshDays };
    const rounds = refreshDays * 24 + 1;
    for (let round = 0; round < rounds; round++) {
      scene.now += HOUR;
      await scene.run({});
    }
    const recent = new Set<string>();
    for (const event of this.scene.events)
      if (madeAt(event) > scene.now - refreshDays * 24 * HOUR) recent.add(keyOf(event.stream, event.id));
    return (['assets', 'threats'] as const).flatMap(stream =>
      [...kept[stream]!]
        .filter(([id, row]) => JSON.parse(row).deleted !== true && !recent.has(keyOf(stream, id)))
        .map(([id]) => `Not refreshed within ${refreshDays} days: ${stream} ${id}`),
    );
  }

  #stateText(): string {
    const items = [...this.scene.items].filter(([key]) => !key.endsWith('\nlease'));
    return JSON.stringify(items.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** What the table keeps although nothing is to be done with it. */
  #left(): string[] {
    const { items, platform } = this.scene;
    const everyVersion = this.#setting.platform.retention === 'every-version';
    const partitions = [...items.values()].map(({ pk }) => pk!.S!);
    return partitions.flatMap(pk => {
      if (pk.startsWith('removals#')) return [`A removal stays listed: ${pk}`];
      const [, parent] = /^children#threats#=(.*)$/.exec(pk) ?? [];
      const removed = parent !== undefined && !platform.tenantData.isLive('assets', parent);
      // Where every version is kept the threats' stream shows an old one after the asset is gone.
      return removed && !everyVersion ? [`The child index keeps entries of a removed asset: ${parent}`] : [];
    });
  }

  /** What the SIEM should hold, and the rows that the filter withholds. */
  #truth() {
    const withheld = new Set<string>();
    const kept = Object.entries(this.scene.platform.truth()).map(([stream, rows]) => {
      const filtered = this.#filter.includes(stream[0]!);
      const left = [...rows].filter(([id, row]) => {
        const out = filtered && JSON.parse(row).deleted !== true && JSON.parse(row).c === 2;
        if (out) withheld.add(keyOf(stream, id));
        return !out;
      });
      return [stream, new Map(left.map(([id, row]) => [id, this.#reduced(stream, row)]))] as const;
    });
    return { kept: Object.fromEntries(kept), withheld };
  }

  #reduced(stream: string, row: string): string {
    const { omit } = this.scene.settings;
    // A block that was sent with the member stays as it was sent.
    const { id } = JSON.parse(row);
    const sent = this.scene.events.findLast(each => each.stream === 'dns-blocks' && each.id === id);
    const left = stream === 'threats' ? omit?.threats : stream === 'dns-blocks' && !sent?.line.includes('"o":');
    return left ? row.replace(/"o":"[^"]*",?/, '').replace(/,}/, '}') : row;
  }

  /** Promise 2: an event that says nothing new to the SIEM has a cause, and then the same `event_id`. */
  #needless(): string[] {
    const { events, struck } = this.scene;
    const everyVersion = this.#setting.platform.retention === 'every-version';
    const last = new Map<string, Received>();
    return events.flatMap(event => {
      const key = keyOf(event.stream, event.id);
      const before = last.get(key);
      last.set(key, event);
      const isUnseen = event.kind === 'tombstone' && (!before || before.kind === 'withdrawn');
      if (isUnseen && struck.size === 0 && this.#again.size === 0) return [`The SIEM does not have it: ${event.line}`];
      // What a frozen run sends may arrive after what the next one sent.
      const [since, until] = [before?.run ?? event.run, event.run].sort((one, other) => one - other) as [
        number,
        number,
      ];
      const between = (runs: ReadonlySet<number>) => [...runs].some(run => run >= since && run <= until);
      if (event.refresh) return between(struck) ? [] : this.#needlessRefresh(before, event);
      // A block never changes, whatever members are left out of it.
      const isBlock = event.stream === 'dns-blocks';
      if (before?.kind !== event.kind || (before.content !== event.content && !isBlock)) return [];
      const excused =
        between(struck) || (everyVersion && between(this.#again)) || (isBlock && between(this.#blocksAgain));
      if (!excused) return [`Nothing new: ${event.line}`];
      const same = before.position === event.position && before.line.length === event.line.length;
      if (same && before.eventId !== event.eventId && !between(this.#again) && event.kind !== 'withdrawn')
        return [`A repeat has another event_id: ${event.line} after ${before.line}`];
      return [];
    });
  }

  /** A refresh repeats exactly what the SIEM holds, once that is old. */
  #needlessRefresh(before: Received | undefined, event: Received): string[] {
    if (before?.kind !== event.kind || before.content !== event.content)
      return [`Refreshed although the SIEM holds something else: ${event.line}`];
    const age = madeAt(event) - madeAt(before);
    return age < passMilliseconds(this.#setting.refreshDays!) ? [`Refreshed too early: ${event.line}`] : [];
  }
}

function madeAt({ line }: Received): number {
  return Date.parse(JSON.parse(line).forwarded_at);
}

/** Plays a whole history. @returns what is wrong after it */
export async function play(words: readonly string[], setting: Setting): Promise<string[]> {
  const stage = new Stage(setting);
  for (const word of words) await stage.play(word);
  return stage.check();
}
