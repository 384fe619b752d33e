/** Context, types and helpers that the checks share. */
import { createAssignment } from '../../../../lambda/compose.ts';
import { type PageContent, parsePage } from '../../../../lambda/core/page.ts';
import { membersToCut } from '../../../../lambda/core/row.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { type ConnectorAccess, openAccess } from '../../access.ts';
import { createOnce } from '../../aws.ts';
import type { Context } from '../../context.ts';

export type DoctorContext = ReturnType<typeof createDoctorContext>;

export function createDoctorContext(given: Context) {
  /** Milliseconds by which the clocks of AWS and the API are ahead of this machine, newest last. */
  const skews: number[] = [];
  const context: Context = {
    ...given,
    async fetch(url, init) {
      const response = await given.fetch(url, init);
      const date = Date.parse(response.headers.get('date') ?? '');
      if (Number.isFinite(date)) skews.push(date - given.clock.now());
      return response;
    },
  };

  /**
   * Access to the API and the table, which is opened when a check first needs it.
   *
   * @throws the errors of `openAccess`
   */
  const access = createOnce(() => openAccess(context));
  const pages = new Map<StreamName, Promise<PageContent | undefined>>();
  return {
    ...context,
    skews,
    access,
    /**
     * Reads the first row of a stream's list, once for all checks. Undefined for a stream that is
     * off.
     *
     * @throws the errors of a run
     */
    firstPage(name: StreamName): Promise<PageContent | undefined> {
      const page = pages.get(name) ?? access().then(opened => readFirstPage(opened, name, given.signal));
      pages.set(name, page);
      return page;
    },
  };
}

async function readFirstPage({ settings, streams, api }: ConnectorAccess, name: StreamName, signal: AbortSignal) {
  const stream = streams.find(each => each.name === name);
  if (!stream) return undefined;
  const { path } = stream;
  const limit = 1;
  const body = await api.page({ path, cursor: undefined, limit, signal });
  const cut = membersToCut(stream, settings.threatAssetField);
  return parsePage(body, { path, limit, cut, configured: createAssignment(settings).configuredNames, learned: {} });
}

export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly text: string;
  readonly remedy?: string;
}

export interface Check<C = DoctorContext> {
  /** Name in kebab case, to which other checks and the JSON output refer. */
  readonly name: string;
  /** Names of the checks that must succeed first. */
  readonly needs?: readonly string[];
  /** Performs the check. A thrown error counts as a failure. */
  readonly run: (context: C) => Promise<Finding>;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

export function createCheck(name: string, needs: readonly string[], run: Check['run']): Check {
  return { name, needs, run };
}

export const ok = (text: string): Finding => ({ status: 'ok', text });
export const warn = (text: string, remedy: string): Finding => ({ status: 'warn', text, remedy });
export const fail = (text: string, remedy: string): Finding => ({ status: 'fail', text, remedy });
export const skipped = (text: string): Finding => ({ status: 'skipped', text });
