/**
 * State belongs to one organization: rows of another one would enter the SIEM's copy as this one's, and would never be withdrawn. The
 * organization is known by the token endpoint, the API's address and the client. Credentials may be rotated to another client of the same
 * organization, so a change must prove itself, by data:
 *
 *     everything as before                                      continue
 *     nothing was ever sent                                     continue, and note the new identity
 *     the API refuses a saved cursor                            stop before a row is sent
 *     a row that was sent is found with the same content        continue, and note the new identity
 *     nothing of the kind                                       stop before a row is sent
 *
 * An accepted cursor proves nothing, because it may encode a position and no organization. Neither does an id alone, because ids may be
 * sequential and exist in every tenant. An operator confirms a change that cannot prove itself.
 */
import type { Hash, Saved, SavedStream } from '../ports.ts';
import type { SyncedStream } from '../streams.ts';
import {
  ApiRefusedError,
  ContractError,
  CursorRefusedError,
  OrganizationChangedError,
  OutdatedConfirmationError,
  RoleMissingError,
} from './errors.ts';
import { readPages } from './read-pages.ts';
import { type BadRow, type Row, readRow, rowCut, singleRow } from './row.ts';
import type { Run } from './run.ts';
import { walkOf } from './walk.ts';

/** The parts of an organization's identity, in the order of its digest. */
export const ORGANIZATION_PARTS = ['token endpoint', 'base URL', 'client'] as const;

export type OrganizationPart = (typeof ORGANIZATION_PARTS)[number];

const PART_LENGTH = 16;

/** Rows of a stream that are read one by one when the first page holds no row that was sent. */
const SINGLE_READS = 5;

export interface OrganizationIdentity {
  readonly tokenEndpoint: string;
  readonly baseUrl: string;
  readonly clientId: string;
}

/** One hash for each part, so that two digests show which part differs: `<token endpoint>-<base URL>-<client>`. */
export function organizationDigest({ tokenEndpoint, baseUrl, clientId }: OrganizationIdentity, hash: Hash): string {
  const parts = [withoutSlash(tokenEndpoint), withoutSlash(baseUrl), clientId];
  return parts.map(part => hash(part).slice(0, PART_LENGTH)).join('-');
}

export function changedParts(before: string, after: string): OrganizationPart[] {
  const [old, current] = [before.split('-'), after.split('-')];
  return ORGANIZATION_PARTS.filter((_part, at) => old[at] !== current[at]);
}

/** A slash at the end makes no other address. */
function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * @param confirmed digest of the organization that an operator has seen and confirmed
 * @throws OrganizationChangedError, OutdatedConfirmationError, and the errors of requesting the token or reading the API
 */
export async function checkOrganization(saved: Saved, confirmed: string | undefined, run: Run): Promise<void> {
  const organization = await run.organization();
  if (confirmed !== undefined && confirmed !== organization) throw new OutdatedConfirmationError();
  if (organization === saved.organization) return;

  const anyBegun = [...saved.streams.values()].some(isBegun);
  if (anyBegun && confirmed === undefined) await requireSame(saved, run);

  await run.checkpoints.saveOrganization(organization, run.lease.nextFence());
  if (!anyBegun) return;
  run.log.info(confirmed ? 'Another organization was confirmed' : 'The organization is proven to be the same');
}

interface BegunStream {
  readonly stream: SyncedStream;
  readonly saved: SavedStream;
}

async function requireSame({ streams }: Saved, run: Run): Promise<void> {
  const begun = run.assignment.streams.flatMap((stream): BegunStream[] => {
    const saved = streams.get(stream.name)!;
    return saved instanceof Error || !isBegun(saved) ? [] : [{ stream, saved }];
  });

  for (const each of begun) await requireAcceptedCursor(each, run);

  const withStates = begun.filter(({ stream }) => stream.hasRowStates);
  for (const each of withStates) if (await isOnFirstPage(each, run)) return;
  for (const each of withStates) if (await isReadSingly(each, run)) return;

  throw new OrganizationChangedError(
    withStates.length > 0
      ? 'the API shows no row that was sent with the same content'
      : 'of the streams of this run no row states are kept that could show whose rows they are',
  );
}

/** Whether events may have been sent. A log counts: its batch may not have been saved. */
export function isBegun(saved: SavedStream | Error): boolean {
  if (saved instanceof Error) return true;
  const { checkpoint, log } = saved;
  return checkpoint.committed !== '' || checkpoint.window.length > 0 || log !== undefined;
}

/** A cursor that is refused now would otherwise make the walk begin again, with the rows of whomever the client belongs to. */
async function requireAcceptedCursor({ stream, saved }: BegunStream, run: Run): Promise<void> {
  const { cursor } = saved.checkpoint;
  if (cursor === undefined) return;
  try {
    // Only whether the cursor is accepted counts, so one row is enough.
    await readPage({ stream, saved, cursor, limit: 1 }, run);
  } catch (error) {
    if (error instanceof CursorRefusedError)
      throw new OrganizationChangedError('the API refuses the cursor that was saved');
    throw error;
  }
}

async function isOnFirstPage({ stream, saved }: BegunStream, run: Run): Promise<boolean> {
  const limit = run.assignment.pageLimit;
  const { rows } = await readPage({ stream, saved, cursor: undefined, limit }, run);
  return await anyWasSent(rows, stream, run);
}

/** Where the first page holds only rows that have changed since, or were never sent, single reads may still find one. */
async function isReadSingly({ stream }: BegunStream, run: Run): Promise<boolean> {
  for (const id of await run.rowStates.sample(stream.name, SINGLE_READS)) {
    const row = await readSingle(id, stream, run);
    if (row && (await anyWasSent([row], stream, run))) return true;
  }
  return false;
}

async function anyWasSent(rows: readonly (Row | BadRow)[], stream: SyncedStream, run: Run): Promise<boolean> {
  const good = rows.flatMap(row => ('reason' in row ? [] : [row]));
  if (good.length === 0) return false;

  const states = await run.rowStates.get(stream.name, [...new Set(good.map(({ id }) => id))]);
  // The hash of a state is empty when the SIEM was sent nothing of the row.
  return good.some(({ id, rowHash }) => states.get(id)?.rowHash === rowHash);
}

async function readPage(
  { stream, saved, cursor, limit }: BegunStream & { readonly cursor: string | undefined; readonly limit: number },
  run: Run,
) {
  const pages = readPages({
    ...walkOf({ stream, run, count: () => undefined }),
    limit,
    cursor,
    previous: undefined,
    rewinds: false,
    ahead: false,
    learnedNames: saved.checkpoint.names,
    onRefusedCursor: () => undefined,
  });
  const { value } = await pages.next();
  await pages.return();
  return value!;
}

/** @returns nothing where the API does not show the row, which proves neither the one nor the other */
async function readSingle(id: string, stream: SyncedStream, run: Run): Promise<Row | BadRow | undefined> {
  try {
    const answer = await run.rows.row(stream.path, id, run.lease.signal);
    const element = singleRow(answer, stream.path, rowCut(stream, run.assignment.parentMember));
    return readRow(element, stream, run.hash);
  } catch (error) {
    const isNoAnswer = [ApiRefusedError, RoleMissingError, ContractError, RangeError].some(
      type => error instanceof type,
    );
    if (isNoAnswer) return undefined;
    throw error;
  }
}
