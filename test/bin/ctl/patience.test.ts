import { expect, test } from '@jest/globals';
import { impatientApi } from '../../../bin/ctl/access/patience.ts';
import { httpStand, json } from '../../lambda/support/http-stand.ts';
import { steppedClock } from '../../lambda/support/stepped-clock.ts';
import { rejection } from '../../lambda/support/words.ts';

test('an API that asks to be called again and again is given up after 20 seconds, for each request anew', async () => {
  await using stand = await httpStand(json(429, '', { 'retry-after': '3' }));
  const clock = steppedClock();
  const tokens = { token: async () => 'token', discard: () => undefined };
  const api = impatientApi({ baseUrl: stand.url, tokens, fetch }, clock);
  for (const asked of [1, 2]) {
    const begun = clock.now();
    const error = await rejection(api.single({ path: '/v1/assets', id: 'a' }));
    expect([error.name, error.message]).toEqual(['OutOfTimeError', expect.stringContaining('(429)')]);
    expect(clock.now() - begun).toBeLessThanOrEqual(20_000);
    // Fewer where the jitter was long, but tried again it was.
    expect(stand.seen.length).toBeGreaterThan(asked * 3);
  }
});
