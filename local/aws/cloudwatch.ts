import { type AlarmControls, type AlarmDefinition, alarmArn, createAlarms } from './alarms.ts';
import { AwsError } from './aws-error.ts';
import { type JsonObject, jsonReply, MISSING_TOKEN, queryCompatibleRefusal, readJsonRequest } from './json-protocol.ts';
import { metricData } from './metric-data.ts';
import { createMetricStore, type MetricStore } from './metric-store.ts';
import type { Operation } from './operation.ts';
import { arn, type Place } from './place.ts';
import type { Service } from './wire.ts';

export interface CloudWatchOptions extends Place {
  readonly alarms: readonly AlarmDefinition[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Alarms or data points in a page. @default 50 alarms, 100,800 data points */
  readonly pageSize?: number;
}

export interface CloudWatchControls {
  readonly metrics: Pick<MetricStore, 'put'>;
  readonly alarms: AlarmControls;
}

interface CloudWatchOperation extends Operation {
  readonly input: JsonObject;
}

/** Today's CloudWatch speaks JSON, and tells the error codes of the query protocol that it spoke before. */
const COMPATIBLE = {
  namespace: 'com.amazonaws.cloudwatch',
  codes: { ValidationException: 'ValidationError' },
};
const TARGET = 'GraniteServiceVersion20100801';
const ALARMS = 50;
const DATA_POINTS = 100_800;
const MOST_NAMES = 100;

/** CloudWatch with the metrics and alarm states that it is given: alarms are not evaluated. */
export function createCloudWatch(options: CloudWatchOptions): {
  service: Service<CloudWatchOperation>;
  controls: CloudWatchControls;
} {
  const metrics = createMetricStore();
  const alarms = createAlarms({ ...options, pageSize: options.pageSize ?? ALARMS });
  const answer = (action: string, input: JsonObject): JsonObject => {
    if (action === 'GetMetricData') return metricData(metrics, input, options.now(), options.pageSize ?? DATA_POINTS);
    if (action === 'DescribeAlarms') return alarms.describe(input);
    alarms.switchActions(namesIn(input), action === 'EnableAlarmActions');
    return {};
  };
  const service: Service<CloudWatchOperation> = {
    name: 'cloudwatch',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, TARGET);
      if (!ACTIONS.includes(action)) {
        throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
      }
      const resource = action.endsWith('AlarmActions') ? alarmsArn(options, namesIn(input)) : '*';
      return { action, permission: `cloudwatch:${action}`, resource, input };
    },
    perform: async ({ action, input }) => jsonReply('1.0', answer(action, input)),
    refusal: error => queryCompatibleRefusal(COMPATIBLE, error),
  };
  return { service, controls: { metrics, alarms: alarms.controls } };
}

const ACTIONS = ['GetMetricData', 'DescribeAlarms', 'EnableAlarmActions', 'DisableAlarmActions'];

function namesIn({ AlarmNames: names }: JsonObject): readonly string[] {
  if (Array.isArray(names) && names.length <= MOST_NAMES) return names;
  const fault = Array.isArray(names) ? `have length less than or equal to ${MOST_NAMES}` : 'not be null';
  const message = `1 validation error detected: Value at 'alarmNames' failed to satisfy constraint: Member must ${fault}`;
  throw new AwsError(400, 'ValidationException', message);
}

/** IAM asks about each alarm; one call has one resource here, so several are told by what their names begin with. */
function alarmsArn(place: Place, given: readonly string[]): string {
  const [first = '', ...others] = new Set(given);
  if (others.length === 0) return alarmArn(place, first);
  let shared = 0;
  while (shared < first.length && others.every(name => name[shared] === first[shared])) shared += 1;
  return arn(place, 'cloudwatch', `alarm:${first.slice(0, shared)}*`);
}
