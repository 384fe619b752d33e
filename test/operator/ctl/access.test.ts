import { expect, test } from '@jest/globals';
import { apiWithShortBudget } from '../../../bin/ctl/access.ts';
import { answerJson } from '../../../local/incidents/tampered-api.ts';
import { httpHarness } from '../../support/function/http-harness.ts';
import { rejection } from '../../support/function/rejection.ts';
import { steppedClock } from '../../support/function/stepped-clock.ts';

test('a request to an API that always answers 429 with Retry-After fails after 20 seconds', async () => {
  await using harness = await httpHarness(answerJson(429, '', { 'retry-after': '3' }));
  const clock = steppedClock();
  const tokens = { token: async () => ({ value: 'token', clientId: 'client' }), discard: () => undefined };
  const api = apiWithShortBudget({ baseUrl: harness.url, tokens, fetch }, clock);
  for (const asked of [1, 2]) {
    const begun = clock.now();
    const error = await rejection(api.single({ path: '/v1/assets', id: 'a' }));
    expect(error).toMatchObject({ name: 'OutOfTimeError', message: expect.stringContaining('(429)') });
    expect(clock.now() - begun).toBeLessThanOrEqual(20_000);
    // How many tries fit depends on the jitter.
    expect(harness.seen.length).toBeGreaterThan(asked * 3);
  }
});
