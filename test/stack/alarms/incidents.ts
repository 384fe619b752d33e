import { THROTTLING_FAULTS } from '../../../local/aws/faults.ts';
import {
  ALARMING_INCIDENTS,
  addRows,
  addThreats,
  HARMLESS_INCIDENTS,
  limitRate,
} from '../../../local/demo/incidents.ts';
import type { Incident } from '../../../local/incidents/incident.ts';
import type { Scene } from '../../../local/incidents/scene.ts';
import { answerJson, tamperList } from '../../../local/incidents/tampered-api.ts';

const honest = (scene: Scene): void => scene.api.tamper();
const HTTP = { destination: { type: 'http', url: 'https://siem.example/events', retrySeconds: 1200 } };
/**
 * Makes many pages from few rows. The lease needs no renewal for half a minute, so simulated time
 * can advance quickly.
 */
const LONG_RUNS = { PAGE_LIMIT: '1', LEASE_SECONDS: '90' };

/**
 * Incidents that on-call must hear of. Each alarm fires in one of them at least, and the demo shows
 * the first ones.
 */
export const INCIDENTS: readonly Incident[] = [
  ...ALARMING_INCIDENTS,
  {
    name: 'The API’s rate limit is too low for the backlog',
    caused: 'there are many pages, and the API answers one request in 140 s',
    minutes: 375,
    environment: LONG_RUNS,
    begin(scene) {
      addThreats(scene, 'backlog', 240);
      limitRate(scene, 140);
    },
    end: honest,
    alarms: ['stream-behind'],
  },
  {
    name: 'A role was taken away',
    caused: 'the simulator takes the role of the threat list from the account',
    minutes: 36,
    begin: ({ simulator }) => void simulator.account.roles.delete('threats:read'),
    end: ({ simulator }) => void simulator.account.roles.add('threats:read'),
    alarms: ['role-missing', 'function-errors', 'stream-silent'],
  },
  {
    name: 'The API changes the form of its responses',
    caused: 'the DNS block list has another name for its cursor',
    minutes: 36,
    begin: ({ api }) =>
      api.tamper(tamperList('/v1/dns-blocks', answerJson(200, { data: [], pagination: { cursor: null } }))),
    end: honest,
    alarms: ['contract-error', 'function-errors', 'stream-silent'],
  },
  {
    name: 'A row cannot be sent',
    caused: 'a threat without an id comes among the others',
    minutes: 10,
    begin: ({ api }) => api.tamper(tamperList('/v1/threats', onlyRow({ id: '', asset_id: 'asset-1' }))),
    end: honest,
    alarms: ['dead-letters'],
  },
  {
    name: 'Threats name their asset in another member than configured',
    caused: 'a threat arrives whose asset is in another member',
    minutes: 10,
    begin({ api }) {
      const row = { id: 'threat-x', host_id: 'asset-1', updated_at: '2026-11-20T12:00:00Z', stream_position: '9' };
      api.tamper(tamperList('/v1/threats', onlyRow(row)));
    },
    end: honest,
    alarms: ['threats-without-asset'],
  },
  {
    name: 'A filter does not fit a row',
    caused: 'the filter of threats compares a number, and a threat arrives in which it is text',
    minutes: 10,
    configuration: { filters: { threats: 'risk == `null` || risk > `5`' } },
    begin: ({ simulator }) => void simulator.put('threats', { id: 'threat-y', asset_id: 'asset-1', risk: '9' }),
    alarms: ['filter-errors'],
  },
  {
    name: 'A changed filter excludes hundreds of rows that the SIEM has',
    caused: 'a filter of threats is deployed that excludes a severity, which 520 threats have',
    minutes: 10,
    begin: scene => addThreats(scene, 'asset-1', 520, { severity: 'low' }),
    eachMinute(scene, run, minute) {
      if (minute < 3) return run();
      if (minute === 3) scene.cool();
      return scene.run({ ...scene.environment, FILTERS: JSON.stringify({ threats: "severity != 'low'" }) });
    },
    end: scene => scene.cool(),
    alarms: ['mass-withdrawal'],
  },
  {
    name: 'Firehose throttles for hours',
    caused: 'Firehose answers "Slow down." to every call, and there is a DNS block to deliver',
    minutes: 36,
    begin(scene) {
      scene.simulator.put('dns-blocks', { id: 'held-up' });
      scene.aws.faults.always('firehose', THROTTLING_FAULTS.firehose);
    },
    end: ({ aws }) => aws.faults.clear(),
    alarms: ['stream-silent'],
  },
  {
    name: 'The function cannot start',
    caused: 'one of its variables is gone',
    minutes: 36,
    begin: scene => scene.cool(),
    eachMinute(scene) {
      const { STATE_TABLE: _gone, ...rest } = scene.environment;
      return scene.run(rest);
    },
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'Lambda terminates every run',
    caused: 'each run is killed at its first page, as Lambda does when memory or time is used up',
    minutes: 36,
    begin: scene => scene.api.tamper(() => () => scene.kill()),
    end: honest,
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'No run starts',
    caused: 'the schedule is off or cannot start the function, or the account’s concurrency is used up',
    minutes: 36,
    eachMinute: () => undefined,
    alarms: ['stream-silent'],
  },
  {
    name: 'The bucket refuses Firehose',
    caused: 'runs continue',
    minutes: 36,
    eachMinute({ reports }, run, minute) {
      reports.feed('delivery', 'DeliveryToS3.Success', 0);
      reports.feed('delivery', 'DeliveryToS3.DataFreshness', 60 * (minute + 1));
      return run();
    },
    alarms: ['delivery-failing', 'delivery-late'],
  },
  {
    name: 'The endpoint of the SIEM is gone',
    caused: 'runs continue, with an HTTP endpoint as the destination',
    minutes: 25,
    configuration: HTTP,
    eachMinute({ reports }, run, minute) {
      reports.feed('delivery', 'DeliveryToHttpEndpoint.Success', 0);
      reports.feed('delivery', 'DeliveryToHttpEndpoint.DataFreshness', 60 * Math.min(minute + 1, 20));
      if (minute >= 20) reports.feed('delivery', 'BackupToS3.Records', 1);
      return run();
    },
    alarms: ['delivery-failing', 'delivery-late', 'delivery-backup-used'],
  },
  {
    name: 'The SIEM fails on objects',
    caused: 'runs continue',
    minutes: 10,
    eachMinute({ reports }, run) {
      reports.feed('siem-dead-letters', 'ApproximateNumberOfMessagesVisible', 1);
      return run();
    },
    end: ({ reports, minute }) => reports.feed('siem-dead-letters', 'ApproximateNumberOfMessagesVisible', 0, minute),
    alarms: ['siem-reader-failing'],
  },
];

/** Events that on-call must not hear of. */
export const NO_INCIDENTS: readonly Incident[] = [
  ...HARMLESS_INCIDENTS,
  {
    name: 'A healthy hour',
    caused: 'a new row in each stream every minute',
    minutes: 60,
    eachMinute(scene, run) {
      addRows(scene);
      return run();
    },
    alarms: [],
  },
  {
    name: 'A quiet night',
    caused: 'three hours without a change',
    minutes: 180,
    alarms: [],
  },
  {
    name: 'A backfill of three hours',
    caused: 'a hundred pages, each almost two minutes late; runs use up their time',
    minutes: 200,
    environment: LONG_RUNS,
    begin(scene) {
      addThreats(scene, 'backlog', 100);
      limitRate(scene, 100);
    },
    end: honest,
    alarms: [],
  },
  {
    name: 'A hiccup of the API',
    caused: 'two runs fail, the third succeeds',
    minutes: 20,
    eachMinute(scene, run, minute) {
      scene.simulator.setFaults(minute < 2 ? [{ endpoint: 'assets', kind: 'status', status: 500 }] : []);
      return run();
    },
    alarms: [],
  },
  {
    name: 'Two ticks at the same moment',
    caused: 'each minute’s run is started twice',
    minutes: 10,
    async eachMinute(scene, run) {
      addRows(scene);
      await Promise.all([run(), run()]);
    },
    alarms: [],
  },
];

/** Answers a list with a single row. */
function onlyRow(row: object) {
  return answerJson(200, { data: [row], pagination: { next_cursor: null, page_size: 1 } });
}
