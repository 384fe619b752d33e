import { STREAMS } from '../../lambda/streams.ts';
import type { Incident } from '../incidents/incident.ts';
import type { Scene } from '../incidents/scene.ts';
import { answerProblem } from '../incidents/tampered-api.ts';

const AN_HOUR = '3600';

/** Incidents of which an alarm must notify on-call. */
export const ALARMING_INCIDENTS: readonly Incident[] = [
  {
    name: 'The API is down',
    caused: 'Every list answers 503',
    minutes: 36,
    begin({ simulator }) {
      const down = { kind: 'status', status: 503, retryAfter: AN_HOUR } as const;
      simulator.setFaults(STREAMS.map(({ name }) => ({ endpoint: name, ...down })));
    },
    end: ({ simulator }) => simulator.setFaults([]),
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'The client secret was rotated, and the new one not stored',
    caused: 'Tokens end after five minutes',
    minutes: 45,
    begin: ({ simulator }) => void simulator.account.rotateSecret(),
    end: scene => scene.storeCredentials(),
    alarms: ['credentials-refused', 'function-errors', 'stream-silent'],
  },
  {
    name: 'The delivery stream refuses the function',
    caused: 'Firehose answers AccessDenied',
    minutes: 36,
    begin({ aws }) {
      aws.faults.always('firehose', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } });
    },
    eachMinute(scene, run) {
      addRows(scene);
      return run();
    },
    end: ({ aws }) => aws.faults.clear(),
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'The SIEM has stopped reading',
    caused: 'Notifications of objects stay in its queue',
    minutes: 36,
    begin(scene) {
      scene.siem.reading = false;
      addRows(scene);
    },
    end({ siem }) {
      siem.reading = true;
    },
    alarms: ['siem-reader-stalled'],
  },
];

/** Incidents that must not wake anybody, so no alarm fires. */
export const HARMLESS_INCIDENTS: readonly Incident[] = [
  {
    name: 'The API limits the rate',
    caused: 'One answer in 10 s, otherwise the status 429',
    minutes: 40,
    begin: scene => limitRate(scene, 10),
    end: ({ api }) => api.tamper(),
    alarms: [],
  },
  {
    name: 'A run is killed in the middle of a page',
    caused: 'Firehose has the events, but the table does not',
    minutes: 10,
    begin(scene) {
      addRows(scene);
      scene.aws.faults.always('firehose', () => {
        scene.aws.faults.clear('firehose');
        scene.kill();
        return { loseAnswer: true };
      });
    },
    end: ({ aws }) => aws.faults.clear('firehose'),
    alarms: [],
  },
  {
    name: 'An asset with a thousand threats is removed',
    caused: 'The API does not list the threats any more',
    minutes: 20,
    eachMinute(scene, run, minute) {
      const asset = `crowded-${scene.minute - minute}`;
      if (minute === 0) addThreats(scene, asset, 1_000);
      if (minute === 4) scene.simulator.remove('assets', asset);
      return run();
    },
    alarms: [],
  },
  {
    name: 'A rotation done well',
    caused: 'The new secret is stored at once',
    minutes: 20,
    begin(scene) {
      scene.simulator.account.rotateSecret();
      scene.storeCredentials();
    },
    alarms: [],
  },
];

/** Adds a new row to each stream, so that there is an event to deliver. */
export function addRows({ simulator, minute }: Scene): void {
  simulator.put('assets', { id: `new-${minute}` });
  simulator.put('threats', { id: `new-${minute}`, asset_id: `new-${minute}` });
  simulator.put('dns-blocks', { id: `new-${minute}` });
}

export function addThreats({ simulator }: Scene, asset: string, count: number, more: object = {}): void {
  simulator.put('assets', { id: asset });
  for (let index = 0; index < count; index++) {
    simulator.put('threats', { id: `${asset}-${index}`, [simulator.settings.threatAssetMember]: asset, ...more });
  }
}

/**
 * Makes the API answer one request for rows in this number of seconds, and refuse all other
 * requests with the status 429.
 */
export function limitRate({ api, clock }: Scene, seconds: number): void {
  let next = clock.now();
  api.tamper(({ target }) => {
    if (!target.startsWith('/v1/')) return undefined;

    const wait = Math.ceil((next - clock.now()) / 1000);
    if (wait <= 0) {
      next = clock.now() + seconds * 1000;
      return undefined;
    }
    return answerProblem(429, 'request/rate-limited', 'Slow down.', { 'retry-after': String(wait) });
  });
}
