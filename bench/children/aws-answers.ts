/** An AWS that takes everything and knows nothing: for each call the least that it may answer. */
import type { IncomingMessage } from 'node:http';

/** By the last part of the `x-amz-target` header. */
const ANSWERS: Readonly<Record<string, (body: string) => object>> = {
  BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
  BatchWriteItem: () => ({ UnprocessedItems: {} }),
  PutItem: () => ({}),
  UpdateItem: () => ({ Attributes: {} }),
  Query: () => ({ Items: [] }),
  GetSecretValue: () => ({ SecretString: '{"client_id":"id","client_secret":"secret"}' }),
  PutRecordBatch: body => ({
    FailedPutCount: 0,
    RequestResponses: Array.from({ length: body.split('"Data"').length - 1 }, () => ({ RecordId: 'record' })),
  }),
};

/** Name of the action that is called; nothing when the request is none to AWS. */
export function awsAction({ headers }: IncomingMessage): string | undefined {
  const target = headers['x-amz-target'];
  return typeof target === 'string' ? target.slice(target.lastIndexOf('.') + 1) : undefined;
}

export function awsAnswer(action: string, body: string): string {
  return JSON.stringify(ANSWERS[action]!(body));
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
