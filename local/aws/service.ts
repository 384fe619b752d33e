/** What every local AWS service shares: requests, operations, ARNs and errors. */
import type { IncomingHttpHeaders } from 'node:http';

/** IAM prefixes of the services that the connector and its operator use. */
export type ServiceName =
  | 'cloudformation'
  | 'cloudwatch'
  | 'dynamodb'
  | 'firehose'
  | 'iam'
  | 'lambda'
  | 'logs'
  | 's3'
  | 'scheduler'
  | 'secretsmanager'
  | 'sns'
  | 'sqs'
  | 'sts';

/** A request to a service. */
export interface WireRequest {
  readonly method: string;
  /** As on the wire: percent-encoded, with the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a request does, in the terms of an IAM policy. */
export interface Operation {
  /** API action, for example `ListObjectsV2`. */
  readonly action: string;
  /** Action that a policy must allow, for example `s3:ListBucket`. The two differ for some actions of S3. */
  readonly permission: string;
  /** ARN. */
  readonly resource: string;
}

/** An error answer of an AWS service: HTTP status, error code, and a message for the caller. */
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

/** Account and region of the resources of these endpoints. */
export interface Place {
  readonly region: string;
  readonly account: string;
}

/**
 * ARN of a resource.
 *
 *     arn(place, 'sqs', 'queue')  →  arn:aws:sqs:us-east-1:000000000000:queue
 */
export function arn({ region, account }: Place, service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page starts; absent on the last one. */
  readonly nextToken?: string;
}

/** One page of a list that does not change between pages. @throws AwsError for a token that is not of a page */
export function cutPage<T>(list: readonly T[], size: number, token: string | undefined, refusal: AwsError): Page<T> {
  const start = Number(token ?? 0);
  if (!Number.isInteger(start)) throw refusal;
  const end = start + size;
  const items = list.slice(start, end);
  return end < list.length ? { items, nextToken: String(end) } : { items };
}
