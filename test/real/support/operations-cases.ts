/** Requests on which moto and the embedded endpoints of an operator's services are to agree. */
import type { JsonObject } from '../../../local/aws/protocols.ts';
import type { WireRequest } from '../../../local/aws/wire.ts';

export type OperationsService = 'cloudformation' | 'cloudwatch' | 'iam' | 'scheduler' | 'sns' | 'sqs' | 'sts';

export interface Asked {
  readonly service: OperationsService;
  readonly request: WireRequest;
}

export const policyArn = (name: string) => `arn:aws:iam::000000000000:policy/${name}`;
export const DEAD = 'arn:aws:sqs:us-east-1:000000000000:dead';
export const topicArn = (name: string, account = '000000000000') => `arn:aws:sns:us-east-1:${account}:${name}`;
/** The host of a queue's URL is not looked at. */
export const queueUrl = (name: string) => `http://127.0.0.1/000000000000/${name}`;

/** By which a service knows that a request is its own. */
const SCOPES: Readonly<Record<OperationsService, string>> = {
  cloudformation: 'cloudformation',
  cloudwatch: 'monitoring',
  iam: 'iam',
  scheduler: 'scheduler',
  sns: 'sns',
  sqs: 'sqs',
  sts: 'sts',
};

function asked(service: OperationsService, part: Partial<WireRequest>): Asked {
  const credential = `local/20000101/us-east-1/${SCOPES[service]}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`;
  const whole = { method: 'POST', url: '/', body: Buffer.from(''), ...part };
  return { service, request: { ...whole, headers: { authorization, ...part.headers } } };
}

const json = (service: OperationsService, target: string) => (action: string, body: JsonObject) =>
  asked(service, {
    headers: { 'x-amz-target': `${target}.${action}`, 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  });
const form = (service: OperationsService, Version: string) => (Action: string, members: Record<string, string>) =>
  asked(service, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams({ Action, Version, ...members }).toString()),
  });

export const cloudWatch = json('cloudwatch', 'GraniteServiceVersion20100801');
export const sqs = json('sqs', 'AmazonSQS');
export const iam = form('iam', '2010-05-08');
export const sns = form('sns', '2010-03-31');
export const sts = form('sts', '2011-06-15');
export const cloudFormation = form('cloudformation', '2010-05-15');
export const getSchedule = (path: string) => asked('scheduler', { method: 'GET', url: `/schedules/${path}` });
export const updateSchedule = (path: string, members: JsonObject) =>
  asked('scheduler', {
    method: 'PUT',
    url: `/schedules/${path}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(members)),
  });

/** Seconds since 1970, a full hour. */
export const HOUR = Math.floor(Date.now() / 3_600_000) * 3600 - 7200;

const Dimensions = [{ Name: 'stream', Value: 'assets' }];
export const query = (more: JsonObject = {}, stat: JsonObject = {}) => ({
  Id: 'a',
  MetricStat: { Metric: { Namespace: 'N', MetricName: 'rows', Dimensions }, Period: 300, Stat: 'Sum', ...stat },
  ...more,
});
export const metricData = (queries: readonly JsonObject[], more: JsonObject = {}) =>
  cloudWatch('GetMetricData', { MetricDataQueries: queries, StartTime: HOUR, EndTime: HOUR + 3600, ...more });

export const SCHEDULE = {
  Description: 'Starts a run.',
  ScheduleExpression: 'rate(1 minute)',
  FlexibleTimeWindow: { Mode: 'OFF' },
  State: 'ENABLED',
  Target: {
    Arn: 'arn:aws:lambda:us-east-1:000000000000:function:poller',
    RoleArn: 'arn:aws:iam::000000000000:role/tick',
    Input: '{}',
    RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
  },
};
