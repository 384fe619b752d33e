import { THROTTLED } from '../aws/faults.ts';
import type { Platform } from '../platform/platform.ts';
import { createRandom } from '../platform/random.ts';
import { randomChange } from '../platform/traffic.ts';
import { addRows, LONG_RUNS, limitRate, putPages } from './backlog.ts';
import type { Incident } from './incident.ts';
import type { Scene } from './scene.ts';

const random = createRandom(7);

function live({ platform }: Scene): void {
  for (let change = 0; change < 5; change++) randomChange(platform, random);
}

function putThreats(platform: Platform, asset: string, count: number): void {
  const { threatAssetMember } = platform.settings;
  platform.put('assets', { id: asset });
  for (let index = 0; index < count; index++) {
    platform.put('threats', { id: `${asset}-${index}`, [threatAssetMember]: asset });
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
      scene.platform.setFaults(minute < 2 ? [{ endpoint: 'assets', kind: 'status', status: 500 }] : []);
      return run();
    },
    alarms: [],
  },
  {
    name: 'Throttling that passes',
    caused: 'for a quarter of an hour Firehose and DynamoDB refuse each run’s first call; then an hour of calm',
    minutes: 78,
    eachMinute(scene, run, minute) {
      if (minute < 15) {
        live(scene);
        scene.aws.faults.next('firehose', THROTTLED.firehose);
        scene.aws.faults.next('dynamodb', THROTTLED.dynamodb);
        scene.reports.tableThrottled('BatchGetItem');
        scene.reports.tableThrottled('UpdateItem');
      }
      return run();
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
      if (minute === 0) putThreats(scene.platform, asset, 1_000);
      if (minute === 4) scene.platform.remove('assets', asset);
      return run();
    },
    alarms: [],
  },
  {
    name: 'A rotation done well',
    caused: 'the new secret is stored at once',
    minutes: 20,
    begin(scene) {
      scene.platform.account.rotateSecret();
      scene.storeCredentials();
    },
    alarms: [],
  },
];
