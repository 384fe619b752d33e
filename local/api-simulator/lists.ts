import { createHmac, timingSafeEqual } from 'node:crypto';
import { type StreamName, streamOf, type VersionedName } from '../../lambda/streams.ts';
import type { Immutable } from './immutable-stream.ts';
import { readJson, shuffled, writeJson } from './json-text.ts';
import { ProblemError } from './problem.ts';
import type { RowWriter } from './rows.ts';
import type { SimulatorSettings } from './settings.ts';
import type { Entry } from './stream-log.ts';
import { isVersioned, type TenantData } from './tenant-data.ts';
import type { Version, VersionedStream } from './versioned-stream.ts';

/** The data and settings behind the read endpoints. */
export interface Readable {
  readonly tenantData: TenantData;
  readonly writeRow: RowWriter;
  readonly cutPage: PageCutter;
  readonly clock: () => number;
  readonly random: () => number;
  readonly settings: SimulatorSettings;
}

/** Body of a page of a list. */
export function listBody(source: Readable, name: StreamName, parameters: ReadonlyMap<string, string>): string {
  const limit = readLimit(parameters.get('limit'));
  const request = { endpoint: name, limit, cursor: parameters.get('cursor') };
  const { entries, nextCursor } = source.cutPage(request, entriesOf(name, source));
  return pageBody(
    source.settings,
    entries.map(entry => source.writeRow(name, entry, 'position')),
    nextCursor,
  );
}

function entriesOf(name: StreamName, source: Readable): (seq: number) => Iterable<Version | Immutable> {
  const { streams } = source.tenantData;
  if (isVersioned(name)) return seq => shown(streams[name], seq, source);
  streams[name].placeDue();
  return seq => streams[name].log.after(seq);
}

/** Positions never decrease along the log, so the withheld versions are its tail. */
function* shown(stream: VersionedStream, seq: number, { clock, settings }: Readable): Generator<Version> {
  const limit = settings.withholdMs > 0 ? (clock() - settings.withholdMs) * 1000 : Number.POSITIVE_INFINITY;
  for (const version of stream.log.after(seq)) {
    if (version.position > limit) return;
    yield version;
  }
}

function pageBody(settings: SimulatorSettings, rows: readonly string[], nextCursor: string | null): string {
  const pagination = JSON.stringify({ next_cursor: nextCursor, page_size: rows.length });
  const [data, page] = [settings.rowsMember, settings.paginationMember].map(name => JSON.stringify(name));
  return `{${data}:[${rows.join(',')}],${page}:${pagination}}`;
}

/** Body of one row. Only what a list shows as live data can be read. */
export function singleBody(source: Readable, name: VersionedName, id: string): string {
  return source.writeRow(name, liveVersion(source.tenantData, name, id), 'null');
}

function liveVersion(tenantData: TenantData, name: VersionedName, id: string): Version {
  if (!tenantData.isLive(name, id))
    throw new ProblemError('resource/not-found', `There is no such ${streamOf(name).singular}.`);
  return tenantData.streams[name].latest.get(id)!;
}

/** Body of an asset's neighbours: the live ones of the assets created beside it. Never a tombstone. */
export function relatedBody(source: Readable, id: string): string {
  const { ordinal } = liveVersion(source.tenantData, 'assets', id);
  const { ids } = source.tenantData.streams.assets;
  const rows = [ordinal ^ 1, ordinal ^ 2, ordinal ^ 4]
    .map(other => ids[other])
    .filter(other => other !== undefined && source.tenantData.isLive('assets', other))
    .map(other => singleBody(source, 'assets', other!));
  return `{${JSON.stringify(source.settings.rowsMember)}:[${rows.join(',')}]}`;
}

/** Lays a body out as the settings define. Digits and names do not change. */
export function layOut(body: string, random: () => number, settings: SimulatorSettings): string {
  if (!settings.shuffleMembers && !settings.prettyPrint) return body;
  const order = settings.shuffleMembers ? { order: shuffled(random) } : {};
  return writeJson(readJson(body), { indent: settings.prettyPrint ? 2 : 0, ...order });
}

/** A page of a stream before its rows are written. */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly endpoint: string;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Cuts pages, following the settings for short, empty and last pages. */
export type PageCutter = <T extends Entry>(request: PageRequest, entriesAfter: (seq: number) => Iterable<T>) => Page<T>;

export function createPageCutter(
  cursors: Cursors,
  random: () => number,
  settings: Pick<SimulatorSettings, 'endOfStream' | 'shortPages' | 'emptyPages'>,
): PageCutter {
  return ({ endpoint, limit, cursor }, entriesAfter) => {
    const start = cursor === undefined ? 0 : cursors.read(endpoint, cursor);
    if (settings.emptyPages > 0 && random() < settings.emptyPages) {
      const variant = 1 + Math.floor(random() * 2 ** 31);
      return { entries: [], nextCursor: cursors.write(endpoint, start, variant) };
    }
    const isShort = limit > 1 && settings.shortPages > 0 && random() < settings.shortPages;
    const size = isShort ? 1 + Math.floor(random() * (limit - 1)) : limit;
    const { taken, more } = take(entriesAfter(start), size);
    const last = taken.at(-1);
    if (last && (more || settings.endOfStream !== 'full-page-null')) {
      return { entries: taken, nextCursor: cursors.write(endpoint, last.seq) };
    }
    const idle = !last && settings.endOfStream === 'repeat-cursor' && cursor !== undefined;
    return { entries: taken, nextCursor: idle ? cursor : null };
  };
}

function take<T>(entries: Iterable<T>, size: number): { taken: T[]; more: boolean } {
  const taken: T[] = [];
  for (const entry of entries) {
    if (taken.length === size) return { taken, more: true };
    taken.push(entry);
  }
  return { taken, more: false };
}

/** Reads `limit`: 100 by default, refused outside 1..500, never clamped. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return 100;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 500) {
    throw new ProblemError('request/invalid-limit', 'limit must be an integer from 1 to 500.');
  }
  return limit;
}

/** Writes and reads the cursors of all endpoints. */
export interface Cursors {
  /** `variant` makes a different cursor for the same place, so that an empty page can return a new cursor. */
  write(endpoint: string, seq: number, variant?: number): string;
  /** The place of a cursor. Throws `request/invalid-cursor` for a cursor that this endpoint did not issue. */
  read(endpoint: string, cursor: string): number;
}

/**
 * Cursors are base64 texts joined by `&`, so they break in a URL unless the client encodes them. They are signed for their
 * endpoint and never expire.
 */
export function createCursors(key: Uint8Array): Cursors {
  const sign = (endpoint: string, payload: string): Buffer =>
    createHmac('sha256', key).update(`${endpoint} ${payload}`).digest().subarray(0, 16);
  return {
    write(endpoint, seq, variant = 0) {
      const payload = Buffer.from(`${seq.toString(36)}~${variant.toString(36)}>`).toString('base64');
      return `${payload}&${sign(endpoint, payload).toString('base64')}`;
    },
    read(endpoint, cursor) {
      const [payload = '', signature = '', ...rest] = cursor.split('&');
      const expected = sign(endpoint, payload).toString('base64');
      if (rest.length > 0 || !sameText(expected, signature)) {
        throw new ProblemError('request/invalid-cursor', 'The cursor was not issued by this endpoint.');
      }
      return Number.parseInt(Buffer.from(payload, 'base64').toString(), 36);
    },
  };
}

function sameText(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
