/** The API and AWS as a sink: takes everything, knows nothing, so that its own work does not count. Prints its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pagesOf, servePages } from '../estate.ts';

const count = Number(process.argv[2]);
const page = servePages({ assets: pagesOf('assets', count), threats: pagesOf('threats', count) });

/** Answers by the last part of the `x-amz-target` header. */
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

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { pathname, searchParams } = new URL(request.url!, 'http://sink');
  const target = request.headers['x-amz-target'];
  response.setHeader('content-type', 'application/json');
  if (typeof target === 'string') {
    const action = target.slice(target.lastIndexOf('.') + 1);
    response.end(JSON.stringify(ANSWERS[action]!(Buffer.concat(parts).toString())));
  } else if (pathname.endsWith('/token')) {
    response.end('{"access_token":"token","token_type":"Bearer","expires_in":300}');
  } else {
    response.end(page(pathname, searchParams.get('cursor')));
  }
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
});
