import { type Api, type ApiOptions, createApi } from '../../../lambda/adapters/api.ts';
import type { Patience } from '../../../lambda/adapters/patience.ts';
import type { Clock } from '../../../lambda/ports.ts';

/** Milliseconds for one request and its repeats: what is asked for by hand is not waited for as a run waits. */
const PATIENCE_MILLISECONDS = 20_000;

/** Ends a while from now: each thing that is asked for has its own, however many are asked for. */
export function freshPatience(clock: Clock): Patience {
  const end = clock.now() + PATIENCE_MILLISECONDS;
  return { clock, random: Math.random, timeLeft: () => end - clock.now() };
}

/** The API, with a fresh patience for each request. Else one that always asks to be called again would never be given up. */
export function impatientApi(options: Omit<ApiOptions, 'patience'>, clock: Clock): Api {
  const api = () => createApi({ ...options, patience: freshPatience(clock) });
  return { single: read => api().single(read), page: request => api().page(request) };
}
