/** Types and helpers that all local AWS services share: requests, operations, ARNs and errors. */
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

/** A request to a service over HTTP. */
export interface WireRequest {
  readonly method: string;
  /** Target of the request as it was sent: percent-encoded, with the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request in the terms of an IAM policy. */
export interface ServiceOperation {
  /** API action, for example `ListObjectsV2`. */
  readonly action: string;
  /** Action that a policy must allow, for example `s3:ListBucket`. It differs from the API action for some actions of S3. */
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

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Token for the next page. Undefined on the last page. */
  readonly nextToken?: string;
}

/**
 * Cuts one page from a list that does not change between pages.
 *
 * @throws AwsError for a token that no page has returned
 */
export function cutListPage<T>(
  list: readonly T[],
  size: number,
  token: string | undefined,
  refusal: AwsError,
): ListPage<T> {
  const start = Number(token ?? 0);
  if (!Number.isInteger(start)) throw refusal;
  const end = start + size;
  const items = list.slice(start, end);
  return end < list.length ? { items, nextToken: String(end) } : { items };
}
