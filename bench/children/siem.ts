/**
 * AWS as a sink that keeps, by stream and id, the greatest `sequence` and a hash of its row. Prints its URL;
 * `GET /compare?truth=<url>` compares them with `GET …/truth`.
 */
import { hash } from 'node:crypto';
import { entriesOf } from '../truth-entries.ts';
import { awsAction, awsAnswer, bodyOf, serveAndPrint } from './serve.ts';

export interface Comparison {
  /** Rows of the truth. */
  readonly rows: number;
  readonly events: number;
  /** Assets that were removed before any poll saw them. Their tombstones are not sent. */
  readonly unseen: number;
  readonly missing: number;
  readonly different: number;
  /** Ids that were delivered and are not in the truth. */
  readonly ghosts: number;
}

interface Held {
  readonly sequence: string;
  readonly rowHash: string;
}

const copy = new Map<string, Held>();
let events = 0;

const secret = JSON.parse(process.argv[2]!);

serveAndPrint(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://siem');
  response.setHeader('content-type', 'application/json');
  if (pathname === '/compare') {
    response.end(JSON.stringify(await compare(searchParams.get('truth')!)));
    return;
  }
  const action = awsAction(request)!;
  const body = await bodyOf(request);
  if (action === 'GetSecretValue') response.end(JSON.stringify({ SecretString: JSON.stringify(secret) }));
  else {
    if (action === 'PutRecordBatch') for (const { Data } of JSON.parse(body).Records) take(Buffer.from(Data, 'base64'));
    response.end(awsAnswer(action, body));
  }
});

function take(record: Buffer): void {
  for (const line of record.toString().split('\n')) {
    if (line === '') continue;
    events++;
    // Inside a string the quotes would be escaped, so the first of these is the member.
    const at = line.indexOf(',"row":');
    const { stream, id, sequence } = JSON.parse(`${line.slice(0, at)}}`);
    const key = `${stream} ${id}`;
    const held = copy.get(key);
    if (!held || held.sequence < sequence) copy.set(key, { sequence, rowHash: rowHash(line.slice(at + 7, -1)) });
  }
}

/** Every row of the truth must have been delivered unchanged, to the last digit. Other ids are ghosts. */
async function compare(truth: string): Promise<Comparison> {
  const result = { rows: 0, events, unseen: 0, missing: 0, different: 0 };
  const left = new Set(copy.keys());
  const { body } = await fetch(truth);
  for await (const { stream, id, row } of entriesOf(body!)) {
    result.rows++;
    const key = `${stream} ${id}`;
    left.delete(key);
    const held = copy.get(key);
    if (!held && stream === 'assets' && JSON.parse(row).deleted === true) result.unseen++;
    else if (!held) result.missing++;
    else if (held.rowHash !== rowHash(row)) result.different++;
  }
  return { ...result, ghosts: left.size };
}

function rowHash(row: string): string {
  return hash('sha256', row, 'base64').slice(0, 22);
}
