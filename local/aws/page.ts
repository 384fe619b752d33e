import type { AwsError } from './aws-error.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page goes on; absent on the last one. */
  readonly nextToken?: string;
}

/** One page of a list that stays as it is between the pages. @throws AwsError for a token that no page ended with */
export function cutPage<T>(list: readonly T[], size: number, token: string | undefined, refusal: AwsError): Page<T> {
  const start = token === undefined ? 0 : placeOf(token);
  if (start === undefined || (start >= list.length && start > 0)) throw refusal;
  const end = start + size;
  const items = list.slice(start, end);
  return end < list.length ? { items, nextToken: Buffer.from(`from ${end}`).toString('base64url') } : { items };
}

function placeOf(token: string): number | undefined {
  const place = /^from (\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  return place === undefined ? undefined : Number(place);
}
