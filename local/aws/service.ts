/** Types and helpers that all local AWS services share: requests, operations, ARNs and errors. */
/** IAM prefixes of the services that the connector and its operator use. */
export type ServiceName =
  | 'cloudformation'
  | 'cloudwatch'
  | 'dynamodb'
  | 'firehose'
  | 'lambda'
  | 'logs'
  | 's3'
  | 'scheduler'
  | 'secretsmanager'
  | 'sns'
  | 'sqs'
  | 'sts';

/** A request in the terms of an IAM policy. */
export interface ServiceOperation {
  /** API action, for example `ListObjectsV2`. */
  readonly action: string;
  /**
   * Action that a policy must allow, for example `s3:ListBucket`. It differs from the API action
   * for some actions of S3.
   */
  readonly permission: string;
  /** ARN of the resource. */
  readonly resource: string;
}

/** A service's answer with an error: HTTP status, error code, and a message for the caller. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

/** Account and region of the resources. */
export interface ResourcePlace {
  readonly region: string;
  readonly account: string;
}

/**
 * ARN of a resource.
 *
 *     arn(place, 'sqs', 'queue')  →  arn:aws:sqs:us-east-1:000000000000:queue
 */
export function arn({ region, account }: ResourcePlace, service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}
