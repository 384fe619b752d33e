/**
 * Checks that the state belongs to the organization of the credentials. Rows of another
 * organization would enter the SIEM's copy, and would never be withdrawn. An organization is
 * identified by the token endpoint, the API's address and the client. Credentials may be rotated to
 * another client of the same organization, so a change is accepted if the data proves it:
 *
 *     everything as before                                      continue
 *     nothing was ever sent                                     continue, and note the new identity
 *     the API refuses a saved cursor                            stop before a row is sent
 *     a row that was sent is listed with the same content       continue, and note the new identity
 *     no such row is listed                                     stop before a row is sent
 *
 * An accepted cursor proves nothing, because it may encode only a position. An id alone proves
 * nothing either, because ids may be sequential and exist in every tenant. An operator can confirm
 * a change that the data does not prove.
 */
import type { Hash, SavedState, SavedStream } from '../ports.ts';
import type { SyncedStream } from '../streams.ts';
import { CursorRefusedError, OrganizationChangedError, OutdatedConfirmationError } from './errors.ts';
import { readPages } from './read-pages.ts';
import type { Run } from './run.ts';
import { walkOptions } from './walk.ts';

/** Parts of an organization's identity, in the order of its digest. */
export const ORGANIZATION_PARTS = ['token endpoint', 'base URL', 'client'] as const;

export type OrganizationPart = (typeof ORGANIZATION_PARTS)[number];

const PART_LENGTH = 16;

/** Number of pages, from the beginning of a stream, that are searched for a row that was sent. */
const PROOF_PAGES = 10;

export interface OrganizationIdentity {
  readonly tokenEndpoint: string;
  readonly baseUrl: string;
  readonly clientId: string;
}

/**
 * Makes one hash for each part, so that two digests show which part differs: `<token
 * endpoint>-<base URL>-<client>`.
 */
export function organizationDigest({ tokenEndpoint, baseUrl, clientId }: OrganizationIdentity, hash: Hash): string {
  const parts = [withoutSlash(tokenEndpoint), withoutSlash(baseUrl), clientId];
  return parts.map(part => hash(part).slice(0, PART_LENGTH)).join('-');
}

export function changedOrganizationParts(before: string, after: string): OrganizationPart[] {
  const [old, current] = [before.split('-'), after.split('-')];
  return ORGANIZATION_PARTS.filter((_part, at) => old[at] !== current[at]);
}

/** Removes slashes at the end, because they do not make another address. */
function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * @param confirmed digest of the organization that an operator has seen and confirmed
 * @throws OrganizationChangedError, OutdatedConfirmationError, and the errors of requesting the
 * token or reading the API
 */
export async function checkOrganization(saved: SavedState, confirmed: string | undefined, run: Run): Promise<void> {
  const organization = await run.organization();
  if (confirmed !== undefined && confirmed !== organization) throw new OutdatedConfirmationError();
  if (organization === saved.organization) return;

  const anyBegun = [...saved.streams.values()].some(isBegun);
  if (anyBegun && confirmed === undefined) await requireSame(saved, run);

  await run.checkpoints.saveOrganization(organization, run.lease.nextFence());
  if (!anyBegun) return;
  run.log.info(confirmed ? 'Another organization was confirmed' : 'The organization is proven to be the same');
}

/** A stream whose events may already have been sent, with its saved checkpoint and log. */
type Begun = SyncedStream & { readonly saved: SavedStream };

async function requireSame({ streams }: SavedState, run: Run): Promise<void> {
  const begun = run.assignment.streams.flatMap((stream): Begun[] => {
    const saved = streams.get(stream.name)!;
    return saved instanceof Error || !isBegun(saved) ? [] : [{ ...stream, saved }];
  });

  for (const stream of begun) await requireAcceptedCursor(stream, run);
  for (const stream of begun) if (stream.hasRowStates && (await listsSentRow(stream, run))) return;
  throw new OrganizationChangedError('the API lists no row that was sent with the same content');
}

/**
 * Whether events of the stream may have been sent. A log counts, because its batch may have been
 * sent although it is not saved.
 */
export function isBegun(saved: SavedStream | Error): boolean {
  if (saved instanceof Error) return true;
  const { checkpoint, log } = saved;
  return checkpoint.committed !== '' || checkpoint.window.length > 0 || log !== undefined;
}

/**
 * Throws if the API refuses the saved cursor. Otherwise the walk would begin again, and send the
 * rows of whichever organization the client belongs to.
 */
async function requireAcceptedCursor(stream: Begun, run: Run): Promise<void> {
  const { cursor } = stream.saved.checkpoint;
  if (cursor === undefined) return;
  try {
    // One row is enough, because it only matters whether the API accepts the cursor.
    for await (const _page of pagesFrom(cursor, 1, stream, run)) return;
  } catch (error) {
    if (error instanceof CursorRefusedError)
      throw new OrganizationChangedError('the API refuses the cursor that was saved');
    throw error;
  }
}

async function listsSentRow(stream: Begun, run: Run): Promise<boolean> {
  let pages = 0;
  for await (const { rows } of pagesFrom(undefined, run.assignment.pageLimit, stream, run)) {
    const good = rows.flatMap(row => ('reason' in row ? [] : [row]));
    const states = await run.rowStates.get(stream.name, [...new Set(good.map(({ id }) => id))]);
    // The hash of a state is empty when the row was never sent, so such a state never matches.
    if (good.some(({ id, rowHash }) => states.get(id)?.rowHash === rowHash)) return true;
    if (++pages === PROOF_PAGES) return false;
  }
  return false;
}

/**
 * Reads pages as a walk does, except that a refused cursor is not replaced, and that no page is
 * fetched ahead.
 */
function pagesFrom(cursor: string | undefined, limit: number, stream: Begun, run: Run) {
  return readPages({
    ...walkOptions({ stream, run, count: () => undefined }),
    limit,
    cursor,
    previous: undefined,
    rewinds: false,
    ahead: false,
    learnedNames: stream.saved.checkpoint.names,
    onRefusedCursor: () => undefined,
  });
}
