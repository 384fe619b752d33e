/**
 * The API and AWS in a process of their own. `POST /append` adds rows to the streams, `POST /mode` sets how long answers take, and `GET /used`
 * says what was used since the start. Each stream is a log: a cursor is a place in it.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { answerBytes, type BenchStream, type Delivered, rowText } from './rows.ts';
import { Table } from './table.ts';

export interface Mode {
  /** Milliseconds until the API, AWS, and its S3 answer. */
  readonly api: number;
  readonly aws: number;
  readonly s3: number;
}

export interface Used {
  readonly apiCalls: number;
  readonly dynamodbCalls: number;
  readonly firehoseCalls: number;
  readonly s3Puts: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const table = new Table();
const streams: Record<BenchStream, Delivered[]> = { assets: [], threats: [], 'dns-blocks': [] };
const used = { apiCalls: 0, dynamodbCalls: 0, firehoseCalls: 0, s3Puts: 0 };
let mode: Mode = { api: 0, aws: 0, s3: 0 };

const server = createServer(async (request, response) => {
  const body = await textOf(request);
  const { pathname, searchParams } = new URL(request.url!, 'http://sink');
  const target = request.headers['x-amz-target'];
  response.setHeader('content-type', 'application/json');
  if (typeof target === 'string') {
    await after(mode.aws);
    response.end(JSON.stringify(awsAnswer(target.slice(target.lastIndexOf('.') + 1), JSON.parse(body))));
  } else if (pathname.startsWith('/bucket')) {
    await after(mode.s3);
    if (request.method === 'PUT') used.s3Puts++;
    // Nothing reads a log but a run after a kill.
    response.setHeader('etag', '"1"').end();
  } else if (pathname === '/append') {
    for (const [stream, rows] of Object.entries(JSON.parse(body) as Record<BenchStream, Delivered[]>))
      for (const row of rows) streams[stream as BenchStream].push(row);
    response.end('{}');
  } else if (pathname === '/mode') {
    mode = JSON.parse(body);
    response.end('{}');
  } else if (pathname === '/used') {
    const { readUnits, writeUnits } = table;
    response.end(JSON.stringify({ ...used, readUnits, writeUnits }));
  } else if (pathname.endsWith('/token')) {
    response.end('{"access_token":"token","token_type":"Bearer","expires_in":3600}');
  } else {
    used.apiCalls++;
    // The page is made while the answer is on its way.
    const arrival = after(mode.api);
    const page = pageOf(pathname.split('/').at(-1) as BenchStream, searchParams);
    await arrival;
    response.end(page);
  }
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
});

function pageOf(stream: BenchStream, query: URLSearchParams): Uint8Array {
  const from = Number(query.get('cursor') ?? 0);
  const to = from + Number(query.get('limit'));
  const rows = streams[stream].slice(from, to).map(row => rowText(stream, row));
  return answerBytes(rows, to < streams[stream].length ? String(to) : null);
}

function awsAnswer(action: string, input: { readonly Records?: readonly object[] }): object {
  if (action === 'GetSecretValue') return { SecretString: '{"client_id":"id","client_secret":"secret"}' };
  if (action !== 'PutRecordBatch') {
    used.dynamodbCalls++;
    return table.answer(action, input);
  }
  used.firehoseCalls++;
  return { FailedPutCount: 0, RequestResponses: input.Records!.map(() => ({ RecordId: 'record' })) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
