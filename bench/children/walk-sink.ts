/**
 * The API and AWS in a process of their own, as far away as they are: the API answers after 40 ms, AWS after 10 ms. The table keeps what is
 * written. `POST /bench {"stream": pages…}` says which pages a stream has from now on.
 */
import { setTimeout as after } from 'node:timers/promises';
import { answerBytes, PAGE_ROWS, rowId, rowText } from '../rows.ts';
import { SimulatedTable } from '../simulation.ts';
import { awsAction, awsAnswer, bodyOf, serveAndPrint } from './serve.ts';

export interface Pages {
  readonly count: number;
  /** Rows of a page; the last one may have fewer. */
  readonly rows: number;
  /** `moved`: the content of before at a later position. */
  readonly content: 'new' | 'changed' | 'moved' | 'removed';
}

const API_DELAY = 40;
const AWS_DELAY = 10;

const table = new SimulatedTable(true);
let phase = 0;
let streams: Readonly<Record<string, Pages>> = {};

function textOf(stream: 'assets' | 'threats', index: number, content: Pages['content']): string {
  if (content === 'changed') return rowText(stream, index, 1);
  if (content === 'moved') return rowText(stream, index).replace('#0"', '#2"');
  if (content === 'new') return rowText(stream, index);
  const time = new Date(Date.UTC(2026, 10, 21)).toISOString();
  return `{"id":"${rowId(stream, index)}","updated_at":"${time}","stream_position":"${time}#9","deleted":true,"deleted_at":"${time}"}`;
}

/** A cursor of an earlier phase leads to the first page of this one. */
function page(path: string, cursor: string | null): Uint8Array {
  const stream = path.slice(path.lastIndexOf('/') + 1) as 'assets' | 'threats';
  const pages = streams[stream];
  const [of, number] = cursor?.split(' ').map(Number) ?? [];
  const at = of === phase ? number! : 0;
  if (!pages || at >= pages.count) return answerBytes([], null);
  const size = Math.min(PAGE_ROWS, pages.rows - at * PAGE_ROWS);
  const rows = Array.from({ length: size }, (_, row) => textOf(stream, at * PAGE_ROWS + row, pages.content));
  return answerBytes(rows, at + 1 < pages.count ? `${phase} ${at + 1}` : null);
}

serveAndPrint(async (request, response) => {
  const body = await bodyOf(request);
  const { pathname, searchParams } = new URL(request.url!, 'http://sink');
  const action = awsAction(request);
  response.setHeader('content-type', 'application/json');
  if (pathname === '/bench') {
    phase++;
    streams = JSON.parse(body);
    response.end('{}');
  } else if (action === undefined && pathname.endsWith('/token')) {
    response.end('{"access_token":"token","token_type":"Bearer","expires_in":3600}');
  } else if (action === undefined) {
    // The page is made while the answer is on its way.
    const arrival = after(API_DELAY);
    const answer = page(pathname, searchParams.get('cursor'));
    await arrival;
    response.end(answer);
  } else {
    await after(AWS_DELAY);
    const inTable = action !== 'PutRecordBatch' && action !== 'GetSecretValue';
    response.end(
      inTable ? JSON.stringify(table.answer(`${action}Command`, JSON.parse(body))) : awsAnswer(action, body),
    );
  }
});
