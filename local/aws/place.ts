/** Account and region that the resources of these endpoints are in. */
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
