import { describe, expect, test } from '@jest/globals';
import { createRequestPace } from '../../lambda/source/request-pace.ts';
import { createRandom } from '../../local/api-simulator/random.ts';
import { answerProblem, tamperList } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { retryBudget, steppedClock } from '../support/function/stepped-clock.ts';

const MINUTE = 60_000;

/** A connector with as many assets as DNS blocks, one on a page. */
async function budgeted(requestsPerMinute: number, pages: number): Promise<Connector> {
  const environment = { REQUESTS_PER_MINUTE: String(requestsPerMinute), PAGE_LIMIT: '1' };
  const each = await connector({ environment, simulator: { withholdMs: 0 } });
  for (let index = 0; index < pages; index++) {
    each.simulator.put('assets', { id: `a${index}` });
    each.simulator.put('dns-blocks', { id: `d${index}` });
  }
  return each;
}

/** Most requests within one minute, wherever it begins. */
function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map(begin => times.filter(time => time >= begin && time < begin + MINUTE).length));
}

test('a backfill of two streams uses between four fifths and all of the request budget', async () => {
  await using each = await budgeted(30, 40);
  const begun = each.clock.now();
  expect(await each.run()).toMatchObject({ more: false, streams: { assets: { forwarded: 40 } } });
  expect(each.left.length).toBeGreaterThan(80);
  expect(mostInAMinute(each.left)).toBeLessThanOrEqual(30);
  expect(each.left.length / ((each.clock.now() - begun) / MINUTE)).toBeGreaterThan(24);
});

test('runs in quick succession share one budget, even in different containers', async () => {
  await using each = await budgeted(30, 10);
  for (let runs = 0; runs < 12; runs++) await each.run({}, { cold: runs % 2 === 0 });
  expect(each.left.length).toBeGreaterThan(50);
  expect(mostInAMinute(each.left)).toBeLessThanOrEqual(30);
});

test('a run with few requests never waits for the request budget', async () => {
  await using each = await budgeted(30, 10);
  await each.run();
  const waits = async () => {
    each.clock.advance(MINUTE);
    const before = each.clock.pauses.length;
    await each.run({}, { cold: true });
    return each.clock.pauses.length - before;
  };
  expect(await waits()).toBe(0);
  expect(await waits()).toBe(0);
  expect(await waits()).toBe(0);
});

test('a retried request counts towards the request budget like any other request', async () => {
  await using each = await budgeted(30, 1);
  let refused = 0;
  const refusing = tamperList('/v1/assets', (...call) => {
    refused++;
    return answerProblem(429, 'busy')(...call);
  });
  each.api.tamper(request => (refused < 60 ? refusing(request) : undefined));
  await each.run();
  expect(refused).toBe(60);
  expect(each.left.length).toBeGreaterThan(60);
  expect(mostInAMinute(each.left)).toBeLessThanOrEqual(30);
});

test('a run whose time ends while it waits for the request budget is continued by the next run', async () => {
  await using each = await budgeted(60, 40);
  let runs = 1;
  while ((await each.run({}, { time: MINUTE / 3 })).more) runs++;
  expect(runs).toBeGreaterThan(3);
  expect(await each.lines()).toHaveLength(80);
  expect(each.reports.flatMap(({ outcome }) => [...outcome.failures.keys()])).toEqual([]);
});

describe('the pace', () => {
  const request = { name: '/v1/assets', stop: undefined };

  test.each([10, 30, 600])(
    'the pace of %i requests per minute holds in any minute, even with late timers and pauses',
    async budget => {
      const seed = 20261123;
      console.log(`seed ${seed}`);
      const random = createRandom(seed);
      const clock = steppedClock();
      const late = { ...clock, sleep: (milliseconds: number) => clock.sleep(milliseconds * (1 + random())) };
      const pace = createRequestPace(budget);
      const left: number[] = [];
      for (let index = 0; index < 5 * budget; index++) {
        if (random() < 0.05) clock.advance(random() * MINUTE);
        await pace.wait({ ...request, budget: retryBudget(late, 86_400_000) });
        left.push(clock.now());
      }
      expect(mostInAMinute(left)).toBeLessThanOrEqual(budget);
    },
  );

  test('a run begins with a spent request budget when the previous run did not save its pace', async () => {
    const clock = steppedClock();
    const pace = createRequestPace(30);
    pace.continueFrom(undefined, clock.now());
    await pace.wait({ ...request, budget: retryBudget(clock) });
    expect(clock.pauses).toEqual([2_542]);
  });

  test('a run does not delay requests when the clock was set back', async () => {
    const clock = steppedClock();
    const pace = createRequestPace(30);
    pace.continueFrom(clock.now() + 86_400_000, clock.now());
    await pace.wait({ ...request, budget: retryBudget(clock) });
    expect(clock.pauses).toEqual([2_542]);
  });
});
