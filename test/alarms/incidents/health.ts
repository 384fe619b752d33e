import { THROTTLED } from '../../../local/aws/faults.ts';
import { createRandom } from '../../../local/platform/random.ts';
import { randomChange } from '../../../local/platform/traffic.ts';
import { LONG_RUNS, limitRate, putAssets } from '../support/backlog.ts';
import type { Incident } from '../support/incident.ts';
import type { Scene } from '../support/scene.ts';

const random = createRandom(7);

function live({ platform }: Scene): void {
  for (let change = 0; change < 5; change++) randomChange(platform, random);
}

/** What must not fire an alarm. */
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
    configuration: LONG_RUNS,
    begin(scene) {
      putAssets(scene.platform, 60);
      limitRate(scene, 180);
    },
    end: scene => scene.api.tamper(),
    alarms: [],
  },
  {
    name: 'A hiccup of the API',
    caused: 'two runs fail, the third succeeds',
    minutes: 20,
    eachMinute(scene, run) {
      scene.platform.setFaults(scene.minute < 2 ? [{ endpoint: 'assets', kind: 'status', status: 500 }] : []);
      return run();
    },
    alarms: [],
  },
  {
    name: 'Throttling that passes',
    caused: 'for a quarter of an hour Firehose and DynamoDB refuse each run’s first call; then an hour of calm',
    minutes: 78,
    eachMinute(scene, run) {
      if (scene.minute < 15) {
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
