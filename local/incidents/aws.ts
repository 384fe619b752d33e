import { THROTTLED } from '../aws/faults.ts';
import { addRows, LONG_RUNS, putPages } from './backlog.ts';
import type { Incident } from './incident.ts';
import type { Scene } from './scene.ts';
import { isRead } from './service-reports.ts';

const DENIED = { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } };

const healthy = (scene: Scene): void => scene.aws.faults.clear();

/** Refuses every other read, or write, and reports each refusal as DynamoDB would. */
function throttleTable({ aws, reports }: Scene, throttled: (action: string) => boolean): void {
  let number = 0;
  aws.faults.always('dynamodb', ({ action }) => {
    if (!throttled(action) || number++ % 2 === 1) return undefined;
    reports.tableThrottled(action);
    return THROTTLED.dynamodb;
  });
}

/** Incidents caused by AWS. */
export const AWS_INCIDENTS: readonly Incident[] = [
  {
    name: 'The state table refuses the function',
    caused: 'DynamoDB answers AccessDenied',
    minutes: 36,
    begin: ({ aws }) => aws.faults.always('dynamodb', DENIED),
    end: healthy,
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'The delivery stream refuses the function',
    caused: 'Firehose answers AccessDenied while there are changes',
    minutes: 36,
    begin: ({ aws }) => aws.faults.always('firehose', DENIED),
    eachMinute(scene, run) {
      addRows(scene);
      return run();
    },
    end: healthy,
    alarms: ['function-errors', 'stream-silent'],
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
    alarms: ['lease-lost'],
  },
  {
    name: 'Firehose throttles for hours',
    caused: 'Firehose answers "Slow down." to every call, and there is a DNS block to deliver',
    minutes: 60,
    begin(scene) {
      scene.platform.put('dns-blocks', { id: `held-up-${scene.minute}` });
      scene.aws.faults.always('firehose', THROTTLED.firehose);
    },
    end: healthy,
    alarms: ['delivery-throttled', 'stream-silent'],
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
    end: healthy,
    alarms: ['near-time-out'],
  },
  {
    name: 'DynamoDB throttles reads for an hour',
    caused: 'DynamoDB refuses every other read',
    minutes: 60,
    begin: scene => throttleTable(scene, isRead),
    end: healthy,
    alarms: ['state-reads-throttled'],
  },
  {
    name: 'DynamoDB throttles writes for an hour',
    caused: 'DynamoDB refuses every other write',
    minutes: 60,
    begin: scene => throttleTable(scene, action => !isRead(action)),
    end: healthy,
    alarms: ['state-writes-throttled'],
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
];
