import { CloudWatchClient, GetMetricDataCommand, type GetMetricDataCommandInput } from '@aws-sdk/client-cloudwatch';
import { type CloudWatchControls, createCloudWatch } from '../../../local/aws/cloudwatch.ts';
import { PLACE, type Served, served } from './served.ts';

const NOW = Date.UTC(2026, 6, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const METRIC = {
  namespace: 'AWS/Lambda',
  name: 'Duration',
  dimensions: { FunctionName: 'poller', Resource: 'poller' },
};

export interface Scene extends Served {
  readonly client: CloudWatchClient;
  readonly controls: CloudWatchControls;
  /** Times in minutes after an hour ago, and their values. */
  data(query?: Partial<QueryOptions>, input?: Partial<GetMetricDataCommandInput>): Promise<[number, number][]>;
}

interface QueryOptions {
  readonly stat: string;
  /** Seconds. */
  readonly period: number;
  readonly dimensions: Readonly<Record<string, string>>;
}

export function query(
  Id: string,
  { stat = 'Sum', period = 60, dimensions = METRIC.dimensions }: Partial<QueryOptions> = {},
) {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return {
    Id,
    MetricStat: {
      Metric: { Namespace: METRIC.namespace, MetricName: METRIC.name, Dimensions },
      Period: period,
      Stat: stat,
    },
  };
}

export const SPAN = { StartTime: new Date(NOW - HOUR), EndTime: new Date(NOW) };

export async function scene(): Promise<Scene> {
  const { service, controls } = createCloudWatch({ ...PLACE, alarms: [], now: () => NOW });
  const each = await served(service);
  const client = new CloudWatchClient(each.config);
  return {
    ...each,
    controls,
    client,
    async data(options, input = {}) {
      const command = new GetMetricDataCommand({ ...SPAN, MetricDataQueries: [query('q', options)], ...input });
      const [result] = (await client.send(command)).MetricDataResults!;
      return result!.Timestamps!.map((time, at) => [(time.getTime() - (NOW - HOUR)) / MINUTE, result!.Values![at]!]);
    },
  };
}

/** Minutes after an hour ago. */
export function at(minute: number): number {
  return NOW - HOUR + minute * MINUTE;
}
