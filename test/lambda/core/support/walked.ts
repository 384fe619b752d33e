import { type ReadPage, type ReadPagesOptions, readPages } from '../../../../lambda/core/read-pages.ts';
import type { ScriptedApi } from './api.ts';
import { SteppedClock } from './clock.ts';
import { answer, asset } from './rows.ts';

export const PATH = '/a';
export const page = (ids: string, next: string | null): string =>
  answer(
    [...ids].map(id => asset(id)),
    next,
  );

export interface Walked {
  readonly pages: ReadPage[];
  readonly api: ScriptedApi;
  readonly clock: SteppedClock;
  refusals: number;
  error: unknown;
}

/** Walks until the end, an error, or `most` pages. */
export async function walked(api: ScriptedApi, change: Partial<ReadPagesOptions> = {}, most = 20): Promise<Walked> {
  const clock = new SteppedClock();
  const outcome: Walked = { pages: [], api, clock, refusals: 0, error: undefined };
  const options: ReadPagesOptions = {
    source: api,
    clock,
    path: PATH,
    cut: { wanted: ['id'], excluded: 'stream_position' },
    cursor: undefined,
    previous: undefined,
    limit: 500,
    configuredNames: {},
    learnedNames: {},
    signal: new AbortController().signal,
    onRefusedCursor: () => outcome.refusals++,
    ...change,
  };
  try {
    for await (const each of readPages(options)) {
      outcome.pages.push(each);
      if (outcome.pages.length === most) break;
    }
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

export const ids = ({ rows }: ReadPage): string => rows.map(each => JSON.parse(each.wanted(0)!)).join('');
