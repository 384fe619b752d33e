/** `npm run query`: the delivered events in SQL. See `npm run query -- --help`. */

import { Command } from 'commander';
import { VIEWS } from '../lib/query/views.ts';
import { optionsKeptByNpm } from './npm-options.ts';
import { EventDatabase } from './query/event-database.ts';
import { deliveredFiles, QueryFailedError, QueryRequestError } from './query/files.ts';
import { aligned, jsonLines, resultTable } from './query/result.ts';

async function answer({ sql, folder, json }: QueryRequest): Promise<void> {
  using database = await EventDatabase.open(await deliveredFiles(folder));
  if (sql === undefined) console.log(await summary(database));
  else if (json) for await (const line of jsonLines(await database.query(sql))) console.log(line);
  else console.log(await resultTable(await database.query(sql)));
  for (const { file, fault } of database.files.faulty) {
    process.exitCode = 1;
    console.error(
      `${file} ${fault}. The file was skipped, so the answer lacks its events. If it is a copy, copy it again.`,
    );
  }
}

export interface QueryRequest {
  /** Absent: a summary. */
  readonly sql: string | undefined;
  readonly folder: string;
  readonly json: boolean;
}

/** Reads the arguments behind the program's name. `--help` ends the process with 0, a wrong option with 2. @throws QueryRequestError */
export function readCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv = {}): QueryRequest {
  const command = describe();
  const [kept] = optionsKeptByNpm(command, environment);
  if (kept !== undefined) {
    throw new QueryRequestError(
      `npm took ${kept} as its own option. Type "--" before it, as in "npm run query -- ${kept}".`,
    );
  }
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  command.parse(withSqlLast(args), { from: 'user' });
  const { folder, json = false } = command.opts<{ folder: string; json?: true }>();
  const sql = command.args[0];
  if (json && sql === undefined) throw new QueryRequestError('--json needs SQL. The summary has no JSON form.');
  return { sql, folder, json };
}

/** SQL that begins with a comment looks like an option, so it is moved behind all options. */
function withSqlLast(args: readonly string[]): string[] {
  const at = args.findIndex(argument => /^--(\s|.*\n)/.test(argument));
  return at < 0 ? [...args] : [...args.slice(0, at), ...args.slice(at + 1), '--', args[at]!];
}

function describe(): Command {
  return new Command('npm run query --')
    .usage('[options] ["select …"]')
    .description(
      'Queries the delivered files in SQL (DuckDB), through the same views as Athena in a deployed stack. Without SQL: a summary. ' +
        'Files are only read. No data leaves the machine.',
    )
    .argument('[sql]', 'one statement that reads: select, with, from, describe, summarize, show')
    .option(
      '--folder <path>',
      'folder with .gz files, at any depth: the output of npm start, or a copy of a bucket',
      '.local',
    )
    .option('--json', 'one JSON object a line, cells not shortened; numbers that JSON would round are strings')
    .helpOption('-h, --help', 'show this text')
    .addHelpText('after', HELP);
}

const HELP = `
Views: ${VIEWS.map(({ name }) => name).join(', ')}; docs/query.md has their columns.

Examples:
  npm run query
  npm run query -- "select id, json_extract_scalar(row, '$.name') as name, updated_at from current_assets limit 10"
  npm run query -- "select change, stream, id from changes where first_forwarded_at > now() - interval 1 day order by sequence"
  npm run --silent query -- --json "select row from current_threats" | head
  aws s3 sync s3://BUCKET/events/ events/ && npm run query -- --folder events "describe changes"

Exit status: 0 answered, 1 the SQL failed or a file was skipped, 2 wrong options or no files.`;

/** An overview for a run without SQL. */
export async function summary(database: EventDatabase): Promise<string> {
  const files = database.files.readable.length;
  const counts = new Map<string, number>();
  // In sequence, because a connection has one result at a time.
  for (const relation of ['lines', ...VIEWS.map(view => view.name)]) {
    counts.set(relation, await count(database, relation));
  }
  const views = VIEWS.map(({ name, columns }) => [name, `${counts.get(name)}`, Object.keys(columns).join(', ')]);
  const notEvents = counts.get('lines')! - counts.get('events')!;
  return [
    `${files} ${files === 1 ? 'file' : 'files'} of events.\n`,
    await resultTable(await database.query(WHAT_ARRIVED)),
    ...(notEvents > 0
      ? [`\n${notEvents === 1 ? '1 line is not an event' : `${notEvents} lines are not events`}: ${HOW_TO_SEE_THEM}`]
      : []),
    `\n${aligned(['view', 'rows', 'columns'], views)}`,
    `\n${TRY_NEXT}`,
  ].join('\n');
}

const WHAT_ARRIVED = `
  select connector, stream, kind, count(*) as events, count(distinct event_id) as different, max(forwarded_at) as last_forwarded
  from events group by all order by all`;
const HOW_TO_SEE_THEM = '"select line from lines" shows every line as it is.';
const TRY_NEXT = `Try next
  npm run query -- "select id, updated_at, row from current_assets limit 5"
      what exists now
  npm run query -- "select change, stream, count(*) from changes group by all"
      what happened
  npm run query -- --help
      other folders, JSON, more examples`;

async function count(database: EventDatabase, relation: string): Promise<number> {
  const [row] = await (await database.query(`select count(*) from ${relation}`)).getRows();
  return Number(row![0]);
}

// A reader of the output may leave early, as `head` does. Then there is nothing left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

try {
  await answer(readCommandLine(process.argv.slice(2), process.env));
} catch (error) {
  if (!(error instanceof QueryRequestError || error instanceof QueryFailedError)) throw error;
  process.exitCode = error instanceof QueryRequestError ? 2 : 1;
  console.error(error.message);
}
