import { THROTTLED } from '../aws/faults.ts';
import { addRows } from './backlog.ts';
import type { Incident } from './incident.ts';
import type { Scene } from './scene.ts';
import { isRead } from './service-reports.ts';

const DENIED = { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } };

const healthy = (scene: Scene): void => scene.aws.faults.clear();

/** Refuses every read, or every write, and reports each refusal as DynamoDB would. */
function throttleTable({ aws, reports }: Scene, throttled: (action: string) => boolean): void {
  aws.faults.always('dynamodb', ({ action }) => {
    if (!throttled(action)) return undefined;
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
    name: 'Firehose throttles for hours',
    caused: 'Firehose answers "Slow down." to every call, and there is a DNS block to deliver',
    minutes: 36,
    begin(scene) {
      scene.simulator.put('dns-blocks', { id: `held-up-${scene.minute}` });
      scene.aws.faults.always('firehose', THROTTLED.firehose);
    },
    end: healthy,
    alarms: ['stream-silent'],
  },
  {
    name: 'DynamoDB throttles reads for hours',
    caused: 'DynamoDB refuses every read',
    minutes: 36,
    begin: scene => throttleTable(scene, isRead),
    end: healthy,
    alarms: ['stream-silent'],
  },
  {
    name: 'DynamoDB throttles writes for hours',
    caused: 'DynamoDB refuses every write',
    minutes: 36,
    begin: scene => throttleTable(scene, action => !isRead(action)),
    end: healthy,
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
    begin: scene =>
      scene.api.tamper(() => () => {
        scene.kill();
      }),
    end: scene => scene.api.tamper(),
    alarms: ['function-errors', 'stream-silent'],
  },
];
