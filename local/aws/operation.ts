/** IAM prefixes of the services that the connector and its operator use. */
export type ServiceName =
  | 'cloudformation'
  | 'cloudwatch'
  | 'dynamodb'
  | 'firehose'
  | 'iam'
  | 'lambda'
  | 's3'
  | 'scheduler'
  | 'secretsmanager'
  | 'sns'
  | 'sqs'
  | 'sts';

/** What a request asks for, in the words of an IAM policy. */
export interface Operation {
  /** API action, for example `HeadObject`. */
  readonly action: string;
  /** Action that a policy must allow, for example `s3:GetObject`: the two differ for some of S3. */
  readonly permission: string;
  /** ARN. */
  readonly resource: string;
}
