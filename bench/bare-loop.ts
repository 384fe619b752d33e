/**
 * The floor of a walk: a loop that fetches a page ahead, reads it with JSON.parse, and forwards its
 * rows, but does not remember earlier rows.
 */
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { PAGE_ROWS } from './rows.ts';

const firehose = new FirehoseClient({});

export async function handler(): Promise<void> {
  let next: string | null = '';
  let fetched = fetchPage(next);
  while (next !== null) {
    const { data, pagination } = JSON.parse(await fetched);
    next = pagination.next_cursor;
    if (next !== null) fetched = fetchPage(next);
    const lines = data.map((row: unknown) => `${JSON.stringify({ row })}\n`).join('');
    const Records = [{ Data: Buffer.from(lines) }];
    await firehose.send(new PutRecordBatchCommand({ DeliveryStreamName: 'stream', Records }));
  }
}

async function fetchPage(cursor: string): Promise<string> {
  const query = cursor === '' ? '' : `&cursor=${cursor}`;
  return (await fetch(`${process.env['API_BASE_URL']}/v1/assets?limit=${PAGE_ROWS}${query}`)).text();
}
