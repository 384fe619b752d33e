/**
 * Simulates the API and AWS in a process of their own. `POST /append` adds rows to the streams,
 * `POST /mode` sets how long answers take, and `GET /used` returns the usage since the start. Each
 * stream is a log, and a cursor is a place in the log.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { AwsError } from '../local/aws/service.ts';
import { MemoryTable } from '../local/aws/table.ts';
import { readTableJson, tableJson } from '../local/aws/table-json.ts';
import { answerBytes, type BenchStream, type DeliveredRow, rowText } from './rows.ts';

export interface Delays {
  /**
   * Milliseconds until the API answers. The members `aws` and `s3` are the same for AWS and for its
   * S3.
   */
  readonly api: number;
  readonly aws: number;
  readonly s3: number;
}

export interface Usage {
  readonly apiCalls: number;
  readonly dynamodbCalls: number;
  readonly firehoseCalls: number;
  readonly s3Puts: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const table = new MemoryTable('table');
const streams: Record<BenchStream, DeliveredRow[]> = { assets: [], threats: [], 'dns-blocks': [] };
const used = { apiCalls: 0, dynamodbCalls: 0, firehoseCalls: 0, s3Puts: 0, readUnits: 0, writeUnits: 0 };
let mode: Delays = { api: 0, aws: 0, s3: 0 };

const server = createServer(async (request, response) => {
  const body = await textOf(request);
  const { pathname, searchParams } = new URL(request.url!, 'http://sink');
  const target = request.headers['x-amz-target'];
  response.setHeader('content-type', 'application/json');
  if (typeof target === 'string') {
    await after(mode.aws);
    const { status, text } = awsAnswer(target.slice(target.lastIndexOf('.') + 1), body);
    response.writeHead(status).end(text);
  } else if (pathname.startsWith('/bucket')) {
    await after(mode.s3);
    if (request.method === 'PUT') used.s3Puts++;
    // The body may be empty, because only a run that follows a killed run reads a log.
    response.setHeader('etag', '"1"').end();
  } else if (pathname === '/append') {
    for (const [stream, rows] of Object.entries(JSON.parse(body) as Record<BenchStream, DeliveredRow[]>))
      for (const row of rows) streams[stream as BenchStream].push(row);
    response.end('{}');
  } else if (pathname === '/mode') {
    mode = JSON.parse(body);
    response.end('{}');
  } else if (pathname === '/used') {
    response.end(JSON.stringify(used));
  } else if (pathname.endsWith('/token')) {
    response.end('{"access_token":"token","token_type":"Bearer","expires_in":3600}');
  } else {
    used.apiCalls++;
    // The page is made during the delay of the answer, so that making it does not add to the delay.
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

function awsAnswer(action: string, body: string): { readonly status: number; readonly text: string } {
  if (action === 'GetSecretValue') return answered({ SecretString: '{"client_id":"id","client_secret":"secret"}' });
  if (action !== 'PutRecordBatch') return tableAnswer(action, body);
  used.firehoseCalls++;
  const { Records: records } = JSON.parse(body) as { readonly Records: readonly object[] };
  return answered({ FailedPutCount: 0, RequestResponses: records.map(() => ({ RecordId: 'record' })) });
}

function answered(output: object) {
  return { status: 200, text: JSON.stringify(output) };
}

function tableAnswer(action: string, body: string) {
  used.dynamodbCalls++;
  try {
    const { output, readUnits = 0, writeUnits = 0 } = table.perform(action, readTableJson(body));
    used.readUnits += readUnits;
    used.writeUnits += writeUnits;
    return { status: 200, text: tableJson(output) };
  } catch (error) {
    const { status, code, message } = error as AwsError;
    return { status, text: JSON.stringify({ __type: code, message }) };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
