import type { RetryBudget } from '../../../lambda/core/retry.ts';
import type { Clock } from '../../../lambda/ports.ts';
import { type Api, type ApiOptions, createApi } from '../../../lambda/source/api.ts';

/** Milliseconds for one request and its repeats: what is asked for by hand is not waited for as a run waits. */
const BUDGET_MILLISECONDS = 20_000;

/** Ends a while from now: each thing that is asked for has its own, however many are asked for. */
export function freshBudget(clock: Clock): RetryBudget {
  const end = clock.now() + BUDGET_MILLISECONDS;
  return { clock, random: Math.random, timeLeft: () => end - clock.now() };
}

/** The API, with a fresh patience for each request. Else one that always asks to be called again would never be given up. */
export function apiWithShortBudget(options: Omit<ApiOptions, 'retryBudget'>, clock: Clock): Api {
  const api = () => createApi({ ...options, retryBudget: freshBudget(clock) });
  return { single: read => api().single(read), page: request => api().page(request) };
}
