import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of the loopback interface and prints the URL as JSON. */
export function serveAndPrint(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** The shortest valid answer to each call, by the last part of the `x-amz-target` header. Nothing is kept. */
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

/** The action that a request calls; undefined when it is not a request to AWS. */
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
