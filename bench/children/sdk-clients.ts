/** The SDK clients that the function needs: the floor of its import. S3 is loaded at the first dead letter. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

export const clients = [DynamoDBClient, FirehoseClient, SecretsManagerClient];
export const commands = [
  BatchGetItemCommand,
  BatchWriteItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  PutRecordBatchCommand,
  GetSecretValueCommand,
];
export const s3 = () => import('@aws-sdk/client-s3');
