import { ProblemError } from './problem.ts';
import type { RateLimit } from './settings.ts';

/** Counts requests in fixed windows of the platform's clock; the call throws a 429 problem with `Retry-After` beyond the limit. */
export function createRateLimiter(clock: () => number, limit: RateLimit | undefined): () => void {
  let windowStart = Number.NEGATIVE_INFINITY;
  let requests = 0;
  return () => {
    if (!limit) return;
    const now = clock();
    if (now >= windowStart + limit.windowMs) {
      windowStart = now;
      requests = 0;
    }
    requests += 1;
    if (requests <= limit.requests) return;
    const end = windowStart + limit.windowMs;
    throw new ProblemError('limits/rate-exceeded', 'Too many requests.', {
      'retry-after': limit.retryAfter === 'date' ? httpDate(end) : String(Math.ceil((end - now) / 1000)),
    });
  };
}

/** An HTTP date has whole seconds: rounded up, so that who waits for it finds the window over. */
function httpDate(milliseconds: number): string {
  return new Date(Math.ceil(milliseconds / 1000) * 1000).toUTCString();
}
