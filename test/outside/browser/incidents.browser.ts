import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { INCIDENT_GROUPS } from '../../../local/demo/buttons.ts';
import { documentedAlarms } from '../../../local/demo/documented-alarms.ts';
import type { View } from '../../../local/demo/view.ts';
import { BOUNDED_VARIABLE, givenBrowser } from './given-browser.ts';
import { type Opened, openDemo } from './opened.ts';

const DOCUMENTED = documentedAlarms();
/** After docs/testing.md: "CloudWatch and the notification add one or two." */
const MINUTES_MORE = 2;
/** Traffic never stops here, so a run that began well may report its success up to fifteen minutes later, and silence counts from then. */
const LONGEST_RUN = 15;
/** Minutes that the alarms on what runs report look back, at the default rate. */
const REPORT_PERIOD = 17;
/** A run that has begun lasts up to fifteen minutes, an old token five, and a backlog has to be read. */
const MINUTES_TO_RECOVER = 60;
/** The page gets a view at least this often: at the end of each pause of the changes. */
const MINUTES_BETWEEN_VIEWS = 6;
/** Of `--bounded`: one per form that an incident has on the page. The alarm tests play all of them without a browser. */
const BOUNDED = [
  // Critical alarms and warnings that last, and a pile of unread changes.
  'The service account was disabled',
  // A warning that comes with one row.
  'A row cannot be sent',
  // AWS refuses calls.
  'The delivery stream refuses the function',
  // Two runs at the same time.
  'A run is frozen for longer than its lease, and the next takes over',
  // Nothing runs.
  'No run starts',
  // The SIEM's copy ages while the connector is healthy.
  'The SIEM has stopped reading',
  // No alarm.
  'A hiccup of the API',
];
const isBounded = process.env[BOUNDED_VARIABLE] === 'yes';
const GROUPS = INCIDENT_GROUPS.map(({ title, incidents }) => ({
  title,
  incidents: incidents.filter(({ name }) => !isBounded || BOUNDED.includes(name)),
}));

let demo: Opened;

beforeAll(async () => {
  demo = await openDemo({ browser: givenBrowser(), minute: '20ms' });
});

afterAll(() => demo?.close());

test('every incident of the bounded run is on the page', () => {
  const names = INCIDENT_GROUPS.flatMap(({ incidents }) => incidents.map(({ name }) => name));
  expect(BOUNDED.filter(name => !names.includes(name))).toEqual([]);
});

/** A test that failed must not make the others fail. */
afterEach(() => demo.evaluate("document.querySelector('#repair').click()"));

describe.each(GROUPS)('$title', ({ incidents }) => {
  test.each(incidents)(
    '$name: its alarms fire within the documented minutes, and after "Repair" the copy equals the data',
    async ({ name, alarms, minutes }) => {
      const documented = DOCUMENTED.get(name) ?? new Map<string, number>();
      expect([...documented.keys()].sort()).toEqual([...alarms].sort());
      await quiet();
      await demo.cause(name);
      await demo.until(
        ({ incident }) => incident?.name === name && !incident.isRepaired,
        'it begins',
        1 + MINUTES_BETWEEN_VIEWS,
      );
      const most = Math.max(minutes, ...[...documented.values()].map(limitOf));
      const fired = await demo.until(
        view => haveFired(view, alarms) && isLongEnough(view, alarms, minutes),
        name,
        most + 1,
      );
      for (const { name: alarm, fired: after } of fired.incident!.alarms) {
        const limit = documented.get(alarm);
        if (limit !== undefined)
          expect({ alarm, after: Number(after) <= limitOf(limit) }).toEqual({ alarm, after: true });
      }
      await expectShown(alarms);
      await demo.repair();
      await demo.until(({ distance }) => distance === 0, 'the copy equals the data', MINUTES_TO_RECOVER);
      if (alarms.length === 0) expect(firedNames(await demo.view())).toEqual([]);
    },
  );
});

/** The latest minute for an alarm of which docs/testing.md gives this one. */
function limitOf(documented: number): number {
  return documented + MINUTES_MORE + (documented > LONGEST_RUN ? LONGEST_RUN : 0);
}

/** Of the incident before, no alarm is left, and no good run that ended one is left in the period of the alarm: it would hold it back. */
async function quiet(): Promise<void> {
  const { minute } = await demo.until(
    ({ alarms }) => alarms.every(({ state }) => state !== 'ALARM'),
    'every alarm has ended',
    150,
  );
  await demo.until(view => view.minute > minute + REPORT_PERIOD, 'the period of the alarms on reports has passed', 60);
}

function haveFired({ incident }: View, alarms: readonly string[]): boolean {
  return alarms.every(name => incident?.alarms.some(each => each.name === name && each.fired !== null));
}

/** What must not fire is watched for as long as in the alarm tests. */
function isLongEnough({ incident }: View, alarms: readonly string[], minutes: number): boolean {
  return alarms.length > 0 || (incident?.minutes ?? 0) >= minutes;
}

function firedNames({ incident }: View): string[] {
  return incident?.alarms.flatMap(({ name, fired }) => (fired === null ? [] : [name])) ?? [];
}

/** The page says what the server says. Alarms that end by themselves may have left the list of those in alarm. */
async function expectShown(alarms: readonly string[]): Promise<void> {
  for (const name of alarms) {
    await demo.shows(`[...document.querySelectorAll('#incident-alarms tbody tr')]
      .some(row => row.cells[0].textContent === '${name}' && /\\d+ min/.test(row.cells[1].textContent))`);
  }
}
