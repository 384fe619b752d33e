/** The API of an estate of so many rows, each made when its page is asked for, in a process of its own. Prints its URL. */
import { cursorOf, pageNumber, streamOf } from '../estate.ts';
import { answerBytes, type BenchStream, PAGE_ROWS, pageOfRows } from '../rows.ts';
import { SHARES } from '../shares.ts';
import { serveAndTell } from './serve-and-tell.ts';

const rows = Number(process.argv[2]);

serveAndTell((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://generator');
  const stream: BenchStream = streamOf(pathname);
  const number = pageNumber(searchParams.get('cursor'));
  const last = Math.ceil((rows * SHARES[stream]) / PAGE_ROWS) - 1;
  response.setHeader('content-type', 'application/json');
  response.end(answerBytes(pageOfRows(stream, number), number < last ? cursorOf(number + 1) : null));
});
