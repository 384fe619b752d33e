/** An API of so many rows, each made when its page is read. Prints its URL. */
import {
  answerBytes,
  type BenchStream,
  cursorOf,
  PAGE_ROWS,
  pageNumber,
  pageOfRows,
  SHARES,
  streamOf,
} from '../rows.ts';
import { serveAndPrint } from './serve.ts';

const rows = Number(process.argv[2]);

serveAndPrint((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://generator');
  const stream: BenchStream = streamOf(pathname);
  const number = pageNumber(searchParams.get('cursor'));
  const last = Math.ceil((rows * SHARES[stream]) / PAGE_ROWS) - 1;
  response.setHeader('content-type', 'application/json');
  response.end(answerBytes(pageOfRows(stream, number), number < last ? cursorOf(number + 1) : null));
});
