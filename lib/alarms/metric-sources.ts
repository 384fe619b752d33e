import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { DIMENSIONS, METRIC_NAMESPACE } from '../../lambda/metric-names.ts';
import type { Signal } from './alarm-definition.ts';

/** The resources that a connector's metrics describe. */
export interface Monitored {
  readonly connectorName: string;
  readonly function: IFunction;
  readonly state: ITable;
  readonly delivery: IDeliveryStreamRef;
  readonly siem?: { readonly queue: IQueue; readonly deadLetters: IQueue } | undefined;
}

/** Namespace and dimensions of a metric. */
export interface Source {
  readonly namespace: string;
  readonly dimensionsMap: Record<string, string>;
}

/** Namespace and dimensions of the metrics of a stream. */
export function streamSource({ connectorName }: Monitored, stream: string): Source {
  return source(METRIC_NAMESPACE, { [DIMENSIONS.connector]: connectorName, [DIMENSIONS.stream]: stream });
}

/** Namespace and dimensions of the monitored part. Undefined if this connector does not have it. */
export function sourceOf(of: Signal['of'], monitored: Monitored): Source | undefined {
  switch (of) {
    case 'connector':
      return source(METRIC_NAMESPACE, { [DIMENSIONS.connector]: monitored.connectorName });
    case 'function':
      return source('AWS/Lambda', { FunctionName: monitored.function.functionName });
    case 'state':
      return source('AWS/DynamoDB', { TableName: monitored.state.tableName });
    case 'delivery':
      return source('AWS/Firehose', { DeliveryStreamName: monitored.delivery.deliveryStreamRef.deliveryStreamName });
    case 'siem-queue':
      return monitored.siem && queue(monitored.siem.queue);
    case 'siem-dead-letters':
      return monitored.siem && queue(monitored.siem.deadLetters);
  }
}

function source(namespace: string, dimensionsMap: Record<string, string>): Source {
  return { namespace, dimensionsMap };
}

function queue({ queueName }: IQueue): Source {
  return source('AWS/SQS', { QueueName: queueName });
}
