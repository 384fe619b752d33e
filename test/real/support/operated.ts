/** A deployed stack whose operator works on moto, as far as moto goes. */
import { randomUUID } from 'node:crypto';
import { type MetricDatum, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { MetricDatum as Datum } from '../../../local/aws/cloudwatch.ts';
import { ACCOUNT } from '../../../local/aws/endpoints.ts';
import type { Operation, ServiceName } from '../../../local/aws/service.ts';
import type { Service } from '../../../local/aws/wire.ts';
import { type LocalDeployment, startDeployment } from '../../../local/deployment/deployment.ts';
import { createReferences } from '../../../local/deployment/physical-names.ts';
import { OPERATOR, STACK } from '../../bin/support/deployment.ts';
import { metricsOf } from '../../bin/support/function-metrics.ts';
import { type Ended, start } from '../../bin/support/shell.ts';
import { type Connector, connector } from '../../lambda/support/connector.ts';
import { synthesize } from '../../lib/synth.ts';
import { running } from '../running.ts';
import { embeddedOnly, withComposites } from './composite-alarms.ts';
import { motoService } from './moto-account.ts';
import { deployOnMoto, type MotoClients, motoClients } from './moto-operations.ts';

export interface Operated extends AsyncDisposable {
  readonly connector: Connector;
  readonly stack: LocalDeployment;
  /** To look at moto past the command line. */
  readonly moto: MotoClients;
  /** `connectorctl` in a process without a terminal, to its end. */
  ctl(...args: readonly string[]): Promise<Ended>;
  /** A run as the schedule starts it, and what CloudWatch would hear of it. */
  run(): Promise<void>;
  putMetrics(...data: readonly Datum[]): Promise<void>;
}

/** Lambda is not among them: the function runs in the test's own process. */
const ON_MOTO: readonly ServiceName[] = ['cloudformation', 'cloudwatch', 'iam', 'scheduler', 'sns', 'sqs', 'sts'];

/** A role that reads, so that the stack has policies to check, and a subscriber to notify. */
const OPTIONS = {
  dnsBlocksPath: '/v1/dns-blocks',
  alarmEmail: 'on-call@acme.example',
  siemReader: { type: 'external-id', principal: '111122223333', externalId: 'from-the-form' },
};

export async function operated(): Promise<Operated> {
  const { url } = running().moto!;
  const template = synthesize(OPTIONS);
  const bucket = `operated-${randomUUID().slice(0, 13)}`;
  await using made = new AsyncDisposableStack();
  const each = made.use(await connector({ aws: { names: { bucket, deadLetterBucket: bucket } } }));
  const { API_BASE_URL = '', AUTH_URL = '' } = each.environment;
  const stack = await startDeployment({
    template,
    stackName: STACK,
    aws: { ...each.aws, serve: service => each.aws.serve(onMoto(url, service)) },
    invoke: payload => each.run(payload),
    variables: { API_BASE_URL, AUTH_URL },
  });
  const moto = motoClients(url);
  const references = createReferences(template, {
    region: 'us-east-1',
    account: ACCOUNT,
    stackName: STACK,
    names: each.aws.names,
    secretArn: each.aws.secret.arn,
    queueUrl: name => `${stack.environment['AWS_ENDPOINT_URL_SQS']}/${ACCOUNT}/${name}`,
  });
  made.defer(() => {
    for (const client of Object.values(moto)) client.destroy();
  });
  made.defer(await deployOnMoto(moto, template, references, STACK));
  const owned = made.move();
  const environment = { ...stack.environment, AWS_ACCESS_KEY_ID: OPERATOR, AWS_EC2_METADATA_DISABLED: 'true' };
  const putMetrics = (...data: readonly Datum[]) => putInto(moto, data);
  return {
    connector: each,
    stack,
    moto,
    putMetrics,
    ctl: (...args) => start(args, { environment }).ended,
    async run() {
      await each.run();
      const facts = each.reports.splice(0);
      await putMetrics(...facts.flatMap(run => metricsOf('acme', run, Date.now())));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function onMoto<O extends Operation>(url: string, service: Service<O>): Service<O> {
  const instead = {
    DescribeAlarms: withComposites(url),
    EnableAlarmActions: embeddedOnly,
    DisableAlarmActions: embeddedOnly,
  };
  return ON_MOTO.includes(service.name) ? motoService(url, service, instead) : service;
}

async function putInto({ cloudWatch }: MotoClients, data: readonly Datum[]): Promise<void> {
  for (const [Namespace, group] of Map.groupBy(data, ({ namespace }) => namespace)) {
    const MetricData: MetricDatum[] = group.map(({ name, dimensions = {}, value, time }) => ({
      MetricName: name,
      Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
      Value: value,
      Timestamp: new Date(time),
    }));
    await cloudWatch.send(new PutMetricDataCommand({ Namespace, MetricData }));
  }
}
