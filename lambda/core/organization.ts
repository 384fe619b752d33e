/**
 * State belongs to one organization: rows of another one in the same SIEM's copy would never be withdrawn. The credentials name the
 * organization, and they may be rotated to another client of the same one. So a change must prove itself:
 *
 *     address and client as before                      continue
 *     the API accepts a cursor that was saved           continue, and note the new client: a cursor is only good for its issuer
 *     it refuses the cursor                             stop before a row is sent
 *     no cursor was saved, the first page holds an id
 *     that the SIEM was sent                            continue, and note the new client
 *     nothing of the kind                               stop before a row is sent
 *
 * An operator confirms a change that is meant.
 */
import type { Hash, Saved, SavedStream } from '../ports.ts';
import type { SyncedStream } from '../streams.ts';
import { CursorRefusedError, OrganizationChangedError } from './errors.ts';
import { readPages } from './read-pages.ts';
import { readRow } from './row.ts';
import type { Run } from './run.ts';
import { walkOf } from './sync.ts';

const DIGEST_LENGTH = 32;

export function organizationDigest(baseUrl: string, client: string, hash: Hash): string {
  return hash(`${baseUrl}\n${client}`).slice(0, DIGEST_LENGTH);
}

/**
 * @param confirmed an operator has said that the change is meant
 * @throws OrganizationChangedError, and the errors of reading the credentials or the API
 */
export async function checkOrganization(saved: Saved, confirmed: boolean, run: Run): Promise<void> {
  const organization = await run.organization();
  if (organization === saved.organization) return;
  const isNew = saved.organization === undefined;
  if (!isNew && !confirmed) await requireSame(saved, run);
  await run.checkpoints.saveOrganization(organization, run.lease.epoch);
  if (!isNew) run.log.info('The organization is the same as before, or was confirmed', { confirmed });
}

type Read = { readonly stream: SyncedStream; readonly saved: SavedStream };

async function requireSame({ streams }: Saved, run: Run): Promise<void> {
  const begun = run.assignment.streams.flatMap((stream): Read[] => {
    const saved = streams.get(stream.name)!;
    return saved instanceof Error || !isBegun(saved) ? [] : [{ stream, saved }];
  });
  const [walked] = begun.filter(({ saved }) => saved.checkpoint.cursor !== undefined);
  if (walked) {
    try {
      await firstPage(walked, run);
      return;
    } catch (error) {
      if (error instanceof CursorRefusedError)
        throw new OrganizationChangedError('the API refuses the cursor that was saved');
      throw error;
    }
  }
  for (const each of begun) if (await isKnown(each, run)) return;
  // A run of a stream that was never read says nothing about the rows of the others.
  if ([...streams.values()].some(isBegun)) throw new OrganizationChangedError('the API lists no row that is known');
}

function isBegun(saved: SavedStream | Error): boolean {
  return saved instanceof Error || saved.checkpoint.committed !== '' || saved.checkpoint.window.length > 0;
}

/** Whether the first page holds a row that the SIEM was sent. */
async function isKnown(each: Read, run: Run): Promise<boolean> {
  const { stream, saved } = each;
  const { rows } = await firstPage(each, run);
  const window = new Set(saved.checkpoint.window);
  const read = rows.map(row => readRow(row, stream, run.hash)).flatMap(row => ('reason' in row ? [] : [row]));
  if (read.some(({ versionTag }) => versionTag !== undefined && window.has(versionTag))) return true;
  if (!stream.hasRowStates || read.length === 0) return false;
  return (await run.rowStates.get(stream.name, [...new Set(read.map(({ id }) => id))])).size > 0;
}

async function firstPage({ stream, saved: { checkpoint } }: Read, run: Run) {
  const { cursor, names } = checkpoint;
  const walk = walkOf({ stream, run, count: () => undefined });
  const pages = readPages({
    ...walk,
    // Of a page that is read with a cursor only the answer counts.
    limit: cursor === undefined ? walk.limit : 1,
    cursor,
    previous: undefined,
    rewinds: false,
    ahead: false,
    learnedNames: names,
    onRefusedCursor: () => undefined,
  });
  const { value } = await pages.next();
  await pages.return();
  return value!;
}
