/** New rows and backlogs, which several incidents need. */
import type { Scene } from './scene.ts';
import { problem } from './tampered-api.ts';

/** A new row in each stream, so that there is something to deliver. */
export function addRows({ simulator, minute }: Scene): void {
  simulator.put('assets', { id: `new-${minute}` });
  simulator.put('threats', { id: `new-${minute}`, asset_id: `new-${minute}` });
  simulator.put('dns-blocks', { id: `new-${minute}` });
}

/** Makes many pages from few rows. The lease needs no renewal for half a minute, so simulated time can advance quickly. */
export const LONG_RUNS = { pageLimit: 1, leaseSeconds: 90 };

/** Adds that many pages of assets, with new ids each time. */
export function putPages({ simulator, pageLimit, minute }: Scene, pages: number): void {
  for (let index = 0; index < pages * pageLimit; index++) simulator.put('assets', { id: `backlog-${minute}-${index}` });
}

/** Every other request for assets is answered 429 with this `Retry-After`. */
export function limitRate({ api }: Scene, seconds: number): void {
  let number = 0;
  api.tamper(({ target }) => {
    if (!target.startsWith('/v1/assets?') || number++ % 2 === 1) return undefined;
    return problem(429, 'request/rate-limited', 'Slow down.', { 'retry-after': String(seconds) });
  });
}
