import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Demo } from '../../../local/demo/demo.ts';
import type { DemoView } from '../../../local/demo/view.ts';
import { templateWith } from '../../stack/shared-template.ts';

let demo: Demo;
let running: Promise<void>;

beforeAll(async () => {
  const template = await templateWith({ dnsBlocksPath: '/v1/dns-blocks', alarmEmail: 'on-call@acme.example' });
  demo = await Demo.start({ template, minuteTakes: 10, changes: 5, seed: 1, minutesBefore: 15 });
});

afterAll(async () => {
  await demo?.[Symbol.asyncDispose]();
  await running;
});

/**
 * Waits for the first view for which the condition holds.
 *
 * @throws Error after so many minutes of the demo
 */
function until(holds: (view: DemoView) => boolean, minutes: number): Promise<DemoView> {
  running ??= demo.run();
  return new Promise((resolve, reject) => {
    const end = demo.view.minute + minutes;
    const stop = demo.listen(view => {
      if (!holds(view) && view.minute <= end) return;
      stop();
      if (holds(view)) resolve(view);
      else reject(new Error(`Not within ${minutes} minutes: ${JSON.stringify(view.incident)}`));
    });
  });
}

test('the script sends mostly duplicates and leaves ghosts, but the connector does neither', () => {
  const { connector, script, changes } = demo.view;
  expect(connector).toMatchObject({ duplicates: 0, ghosts: 0, stale: 0, problem: undefined });
  expect(connector.events).toBeGreaterThan(changes / 2);
  expect(script.duplicates).toBeGreaterThan(script.events / 2);
  expect(script.ghosts).toBeGreaterThan(0);
  expect(script).toMatchObject({ stale: 0, problem: undefined });
});

test('a removed asset takes its thousand threats out of the connector’s SIEM, but not the script’s', async () => {
  demo.cause('An asset with a thousand threats is removed');
  const { connector, alarms } = await until(({ script }) => script.ghosts > 1_000, 8);
  expect(connector).toMatchObject({ ghosts: 0, stale: 0 });
  expect(alarms.filter(({ state }) => state === 'ALARM')).toEqual([]);
});

test('a killed run sends rows again with the same event_id, so they do not count as duplicates', async () => {
  demo.cause('A run is killed in the middle of a page');
  const { connector } = await until(view => view.connector.repeats > 0, 10);
  expect(connector.duplicates).toBe(0);
  await until(view => view.connector.stale + view.connector.ghosts === 0, 10);
});

test('every row in the connector’s SIEM is right again after an incident that fired its alarm', async () => {
  demo.cause('The API is down');
  const down = await until(({ incident }) => incident?.alarms[0]?.fired != null, 6);
  expect(down.streams.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  expect(down.connector.problem).toMatch(/^ApiUnavailableError: /);
  expect(down.alarms.find(({ name }) => name === 'function-errors')).toMatchObject({ state: 'ALARM' });

  demo.repair();
  const { incident } = await until(({ connector }) => connector.ghosts + connector.stale === 0, 3);
  expect(incident).toMatchObject({ name: 'The API is down', isRepaired: true });
});
