import { createRandom } from '../api-simulator/random.ts';
import type { ApiSimulator } from '../api-simulator/simulator.ts';
import { randomChange } from '../api-simulator/traffic.ts';
import { THROTTLED } from '../aws/faults.ts';
import { addRows, LONG_RUNS, limitRate, putPages } from './backlog.ts';
import type { Incident } from './incident.ts';
import type { Scene } from './scene.ts';
import { problem } from './tampered-api.ts';

const random = createRandom(7);

function live({ simulator }: Scene): void {
  for (let change = 0; change < 5; change++) randomChange(simulator, random);
}

function putThreats(simulator: ApiSimulator, asset: string, count: number): void {
  const { threatAssetMember } = simulator.settings;
  simulator.put('assets', { id: asset });
  for (let index = 0; index < count; index++) {
    simulator.put('threats', { id: `${asset}-${index}`, [threatAssetMember]: asset });
  }
}

/** Scenarios that must not fire an alarm. */
export const HEALTH: readonly Incident[] = [
  {
    name: 'A healthy hour',
    caused: 'five changes a minute: new, changed, removed, restored',
    minutes: 60,
    eachMinute(scene, run) {
      live(scene);
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
    caused: 'sixty pages of assets, each three minutes late; runs use up their time',
    minutes: 200,
    paging: LONG_RUNS,
    begin(scene) {
      putPages(scene, 60);
      limitRate(scene, 180);
    },
    end: scene => scene.api.tamper(),
    alarms: [],
  },
];

/** Something that happens to the connector and must not fire an alarm. */
export const HARMLESS: readonly Incident[] = [
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
    name: 'AWS throttles half of the calls for an hour',
    caused: 'DynamoDB refuses every other call, and Firehose the first call of each run',
    minutes: 60,
    begin({ aws, reports }) {
      let calls = 0;
      aws.faults.always('dynamodb', ({ action }) => {
        if (calls++ % 2 === 1) return undefined;
        reports.tableThrottled(action);
        return THROTTLED.dynamodb;
      });
    },
    eachMinute(scene, run) {
      live(scene);
      scene.aws.faults.next('firehose', THROTTLED.firehose);
      return run();
    },
    end: ({ aws }) => aws.faults.clear(),
    alarms: [],
  },
  {
    name: 'DynamoDB and Firehose have become slow',
    caused:
      'each of their calls takes 7 s, and there are many pages: the last page of a run is committed just before the timeout',
    minutes: 16,
    paging: LONG_RUNS,
    begin(scene) {
      const { aws, time } = scene;
      putPages(scene, 40);
      const slow = () => {
        time.clock.advance(7_000);
        return undefined;
      };
      aws.faults.always('firehose', slow);
      aws.faults.always('dynamodb', slow);
    },
    end: ({ aws }) => aws.faults.clear(),
    alarms: [],
  },
  {
    name: 'The API refuses a saved cursor once',
    caused: 'the list of assets answers 400 invalid-cursor to one request',
    minutes: 10,
    paging: { pageLimit: 10 },
    begin({ api }) {
      let refused = false;
      api.tamper(({ target }) => {
        if (refused || !/^\/v1\/assets\?.*cursor=/.test(target)) return undefined;
        refused = true;
        return problem(400, 'request/invalid-cursor');
      });
    },
    end: ({ api }) => api.tamper(),
    alarms: [],
  },
  {
    name: 'A run is frozen for longer than its lease, and the next takes over',
    caused: 'a minute and more passes while it waits for the list of threats; a second container runs meanwhile',
    minutes: 10,
    begin(scene) {
      let frozen = false;
      scene.api.tamper(({ target }) => {
        if (frozen || !target.startsWith('/v1/threats?')) return undefined;
        frozen = true;
        return async response => {
          scene.cool();
          scene.time.clock.advance((scene.leaseSeconds + 5) * 1000);
          await scene.run();
          response.destroy();
        };
      });
    },
    alarms: [],
  },
  {
    name: 'Two ticks at the same moment',
    caused: 'each minute’s run is started twice',
    minutes: 10,
    eachMinute: async (scene, run) => {
      live(scene);
      await Promise.all([run(), run()]);
    },
    alarms: [],
  },
  {
    name: 'A run is killed in the middle of a page',
    caused: 'the process ends after Firehose has acknowledged a page and before it is saved',
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
    caused: 'the threats come in the first minute, and their asset is removed in the fifth',
    minutes: 20,
    eachMinute(scene, run, minute) {
      const asset = `crowded-${scene.minute - minute}`;
      if (minute === 0) putThreats(scene.simulator, asset, 1_000);
      if (minute === 4) scene.simulator.remove('assets', asset);
      return run();
    },
    alarms: [],
  },
  {
    name: 'A rotation done well',
    caused: 'the new secret is stored at once',
    minutes: 20,
    begin(scene) {
      scene.simulator.account.rotateSecret();
      scene.storeCredentials();
    },
    alarms: [],
  },
];
