import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { PREFIXES } from '../prefixes.ts';
import { allow, secretArnOf } from '../statements.ts';

/** Every AWS call that the function makes, and so everything that it is allowed. A test holds the two equal. */
export const FUNCTION_ACTIONS = {
  credentials: ['secretsmanager:GetSecretValue'],
  state: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  delivery: ['firehose:PutRecordBatch'],
  deadLetters: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
  logs: ['logs:CreateLogStream', 'logs:PutLogEvents'],
} as const;

export interface FunctionResources {
  /** Its dead letters lie below this name. */
  readonly connectorName: string;
  readonly credentials: ISecret;
  readonly state: ITable;
  readonly delivery: IDeliveryStreamRef;
  readonly bucket: IBucket;
}

/** The function's grants, each for one resource. */
export function functionStatements(resources: FunctionResources): iam.PolicyStatement[] {
  return [
    allow(FUNCTION_ACTIONS.credentials, secretArnOf(resources.credentials)),
    allow(FUNCTION_ACTIONS.state, resources.state.tableArn),
    allow(FUNCTION_ACTIONS.delivery, resources.delivery.deliveryStreamRef.deliveryStreamArn),
    allow(FUNCTION_ACTIONS.deadLetters, deadLetterArn(resources)),
  ];
}

export function deadLetterArn({ bucket, connectorName }: FunctionResources): string {
  return bucket.arnForObjects(`${PREFIXES.deadLetters}${connectorName}/*`);
}
