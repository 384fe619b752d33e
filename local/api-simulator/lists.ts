import { hash } from 'node:crypto';
import { membersOf } from '../../lambda/core/json/members.ts';
import { type StreamName, streamOf, type VersionedStreamName } from '../../lambda/streams.ts';
import type { ImmutableRow } from './immutable-stream.ts';
import { ProblemError } from './problem.ts';
import type { RowWriter } from './rows.ts';
import type { SimulatorSettings } from './settings.ts';
import type { StreamEntry } from './stream-log.ts';
import { isVersionedStream, type TenantData } from './tenant-data.ts';
import type { RowVersion, VersionedStream } from './versioned-stream.ts';

/** The data and settings behind the read endpoints. */
export interface ReadContext {
  readonly tenantData: TenantData;
  readonly writeRow: RowWriter;
  readonly cursors: ReturnType<typeof createCursorCodec>;
  readonly clock: () => number;
  readonly random: () => number;
  readonly settings: SimulatorSettings;
}

/** Body of one page of a list. */
export function listBody(source: ReadContext, name: StreamName, parameters: ReadonlyMap<string, string>): string {
  const limit = readLimit(parameters.get('limit'));
  const request = { endpoint: name, limit, cursor: parameters.get('cursor') };
  const { entries, nextCursor } = cutPage(source, request, entriesOf(name, source));
  const rows = entries.map(entry => laidOut(source.writeRow(name, entry, 'position'), source));
  const { rowsMember, paginationMember } = source.settings;
  const pagination = laidOut(JSON.stringify({ next_cursor: nextCursor, page_size: rows.length }), source);
  const body = `{${JSON.stringify(rowsMember)}:[${rows.join(',')}],${JSON.stringify(paginationMember)}:${pagination}}`;
  return laidOut(body, source);
}

function entriesOf(name: StreamName, source: ReadContext): (seq: number) => Iterable<RowVersion | ImmutableRow> {
  const { streams } = source.tenantData;
  if (isVersionedStream(name)) return seq => shown(streams[name], seq, source);
  streams[name].placeDue();
  return seq => streams[name].log.after(seq);
}

/**
 * The versions that lists show. Positions never decrease along the log, so the withheld versions
 * are at the end of the log.
 */
function* shown(stream: VersionedStream, seq: number, { clock, settings }: ReadContext): Generator<RowVersion> {
  const limit = settings.withholdMs > 0 ? (clock() - settings.withholdMs) * 1000 : Number.POSITIVE_INFINITY;
  for (const version of stream.log.after(seq)) {
    if (version.position > limit) return;
    yield version;
  }
}

/** Body of the answer about one row. Only rows that a list shows as live data can be read. */
export function singleRowBody(source: ReadContext, name: VersionedStreamName, id: string): string {
  return laidOut(source.writeRow(name, liveVersion(source.tenantData, name, id), 'null'), source);
}

function liveVersion(tenantData: TenantData, name: VersionedStreamName, id: string): RowVersion {
  if (!tenantData.isLive(name, id))
    throw new ProblemError('resource/not-found', `There is no such ${streamOf(name).singular}.`);
  return tenantData.streams[name].latest.get(id)!;
}

/**
 * Body of the answer about an asset's neighbours: up to three assets that were created at about the
 * same time and still exist. It never contains a tombstone.
 */
export function neighboursBody(source: ReadContext, id: string): string {
  const { ids } = source.tenantData.streams.assets;
  const ordinal = ids.indexOf(liveVersion(source.tenantData, 'assets', id).id);
  const rows = [ordinal ^ 1, ordinal ^ 2, ordinal ^ 4]
    .map(other => ids[other])
    .filter(other => other !== undefined && source.tenantData.isLive('assets', other))
    .map(other => singleRowBody(source, 'assets', other!));
  return `{${JSON.stringify(source.settings.rowsMember)}:[${rows.join(',')}]}`;
}

/**
 * Puts the members of an object into another order if the settings ask for that. Members with the
 * same name keep their order, because the last of them counts.
 */
function laidOut(object: string, { random, settings }: ReadContext): string {
  if (!settings.shuffleMembers) return object;
  const members = membersOf(object).map(({ name, written, value }) => ({ name, text: `${written}:${value}` }));
  const ranks = new Map(members.map(({ name }) => [name, random()]));
  const shuffled = members.toSorted((one, other) => ranks.get(one.name)! - ranks.get(other.name)!);
  return `{${shuffled.map(({ text }) => text).join(',')}}`;
}

/**
 * Cuts a page from a list. The settings decide which pages are short or empty, and how the last
 * page ends.
 */
function cutPage<T extends StreamEntry>(
  { cursors, random, settings }: ReadContext,
  { endpoint, limit, cursor }: { endpoint: string; limit: number; cursor: string | undefined },
  entriesAfter: (seq: number) => Iterable<T>,
): { entries: readonly T[]; nextCursor: string | null } {
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
}

function take<T>(entries: Iterable<T>, size: number): { taken: T[]; more: boolean } {
  const taken: T[] = [];
  for (const entry of entries) {
    if (taken.length === size) return { taken, more: true };
    taken.push(entry);
  }
  return { taken, more: false };
}

/**
 * Reads `limit`, which is 100 by default. A limit outside 1..500 is refused, not replaced by the
 * nearest valid limit.
 */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return 100;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 500) {
    throw new ProblemError('request/invalid-limit', 'limit must be an integer from 1 to 500.');
  }
  return limit;
}

/**
 * Writes and reads cursors. A cursor is two base64 texts joined by `&`, so it breaks in a URL
 * unless the client encodes it. It is signed for its endpoint and never expires.
 */
export function createCursorCodec(key: Uint8Array) {
  const secret = Buffer.from(key).toString('hex');
  const sign = (endpoint: string, payload: string): string =>
    hash('sha256', `${secret} ${endpoint} ${payload}`, 'buffer').subarray(0, 16).toString('base64');
  return {
    /**
     * Writes a cursor. Another `variant` gives another cursor for the same place, so that an empty
     * page can return a new cursor.
     */
    write(endpoint: string, seq: number, variant = 0): string {
      const payload = Buffer.from(`${seq.toString(36)}~${variant.toString(36)}>`).toString('base64');
      return `${payload}&${sign(endpoint, payload)}`;
    },
    /**
     * Reads the position in the list from a cursor. Throws `request/invalid-cursor` for a cursor
     * that this endpoint did not issue.
     */
    read(endpoint: string, cursor: string): number {
      const [payload = ''] = cursor.split('&');
      if (cursor !== `${payload}&${sign(endpoint, payload)}`) {
        throw new ProblemError('request/invalid-cursor', 'The cursor was not issued by this endpoint.');
      }
      return Number.parseInt(Buffer.from(payload, 'base64').toString(), 36);
    },
  };
}
