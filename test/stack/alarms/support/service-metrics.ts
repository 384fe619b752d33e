/**
 * Metrics that AWS's services emit by themselves, with the dimension of each series, as their user
 * guides list them. Only those that the alarms and the dashboard may use.
 */
const FIREHOSE_DESTINATIONS = ['DeliveryToS3', 'DeliveryToSplunk', 'DeliveryToHttpEndpoint'];

export const SERVICE_METRICS: Readonly<
  Record<string, { readonly dimension: string; readonly metrics: readonly string[] }>
> = {
  'AWS/Lambda': { dimension: 'FunctionName', metrics: ['Invocations', 'Errors', 'Throttles', 'Duration'] },
  'AWS/DynamoDB': {
    dimension: 'TableName',
    metrics: ['ReadThrottleEvents', 'WriteThrottleEvents', 'ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
  },
  'AWS/Firehose': {
    dimension: 'DeliveryStreamName',
    metrics: [
      'IncomingBytes',
      'IncomingRecords',
      'ThrottledRecords',
      'BackupToS3.Records',
      ...FIREHOSE_DESTINATIONS.flatMap(each => [`${each}.DataFreshness`, `${each}.Success`]),
    ],
  },
  'AWS/SQS': {
    dimension: 'QueueName',
    metrics: [
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesVisible',
      'NumberOfMessagesSent',
      'NumberOfMessagesDeleted',
    ],
  },
};
