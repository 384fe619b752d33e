import {
  type DuckDBResult,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import { Command, CommanderError } from 'commander';
import { terminalLine, terminalText } from '../../bin/terminal/terminal-text.ts';
import { problemsText, readArguments } from '../npm-command.ts';
import { EventDatabase, QueryFailedError, QueryRequestError, throwRowError } from './event-database.ts';
import { SQL_VIEWS } from './views.ts';

const HELP = `
Views: ${SQL_VIEWS.map(({ name }) => name).join(', ')}; docs/query.md has their columns.

Examples:
  npm run query
  npm run query -- "select id, json_extract_scalar(row, '$.name') as name, updated_at from current_assets limit 10"
  npm run query -- "select change, stream, id from changes where first_forwarded_at > now() - interval 1 day order by sequence"
  npm run --silent query -- --json "select row from current_threats" | head
  aws s3 sync s3://BUCKET/events/ events/ --region REGION && npm run query -- --folder events "describe changes"

Exit status: 0 answered, 1 the SQL failed or a file was skipped, 2 wrong options or no files.`;

const NAME = 'npm run query --';

function describe(output: QueryOutput): Command {
  return new Command(NAME)
    .usage('[options] ["select …"]')
    .description(
      'Queries the delivered files in SQL (DuckDB), through the same views as in Athena (siem/athena/). Without SQL: a summary. ' +
        'Files are only read. No data leaves the machine.',
    )
    .argument('[sql]', 'one statement: select, with, from, describe, summarize, show')
    .option(
      '--folder <path>',
      'folder with .gz files, at any depth: the output of npm start, or a copy of a bucket',
      '.local',
    )
    .option('--json', 'one JSON object per line, cells not shortened; numbers that JSON would round are strings')
    .helpOption('-h, --help', 'show this text')
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: text => output.print(text.trimEnd()) });
}

interface Flags {
  readonly folder: string;
  readonly json?: true;
}

/** The place to which the command prints. */
export interface QueryOutput {
  print(text: string): void;
  complain(text: string): void;
}

/**
 * Runs the command.
 *
 * @param args arguments after the program's name
 * @param environment variables in which npm stores the options that it consumed
 * @returns the exit status
 */
export async function runQuery(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  to: QueryOutput,
): Promise<number> {
  // Control characters are escaped, so that the value of a row, a file name or an argument cannot
  // control the terminal.
  const output: QueryOutput = {
    print: text => to.print(terminalText(text)),
    complain: text => to.complain(terminalText(text)),
  };
  try {
    return await query(args, environment, output);
  } catch (error) {
    // Commander has already printed the help.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof QueryRequestError || error instanceof QueryFailedError)) throw error;
    output.complain(error.message);
    return error instanceof QueryRequestError ? 2 : 1;
  }
}

async function query(args: readonly string[], environment: NodeJS.ProcessEnv, output: QueryOutput): Promise<number> {
  const { flags, operands, problems } = readArguments<Flags>(() => describe(output), withSqlLast(args), environment);
  const { folder, json = false } = flags;
  const [sql] = operands;
  const needsSql = json && sql === undefined ? ['--json needs SQL. The summary has no JSON form.'] : [];
  const all = [...problems, ...needsSql];
  if (all.length > 0) throw new QueryRequestError(problemsText(NAME, all));

  using database = await EventDatabase.open(folder);
  if (sql === undefined) await printSummary(database, output);
  else await (json ? printJson : printTable)(await database.query(sql), output);
  for (const { file, problem } of database.skipped) {
    const remedy = 'The file was skipped, so the answer lacks its events. If it is a copy, copy it again.';
    output.complain(`${terminalLine(file)} ${problem}. ${remedy}`);
  }
  return database.skipped.length > 0 ? 1 : 0;
}

/** SQL that begins with a comment looks like an option, so the SQL is moved behind all options. */
function withSqlLast(args: readonly string[]): string[] {
  const at = args.findIndex(argument => /^--(\s|.*\n)/.test(argument));
  return at < 0 ? [...args] : [...args.slice(0, at), ...args.slice(at + 1), '--', args[at]!];
}

async function printSummary(database: EventDatabase, output: QueryOutput): Promise<void> {
  output.print(`${database.files} ${database.files === 1 ? 'file' : 'files'} of events.\n`);
  await printTable(await database.query(WHAT_ARRIVED), output);
  const count = async (relation: string) => {
    const result = await database.query(`select count(*) from ${relation}`);
    return Number((await result.getRows())[0]![0]);
  };
  const views: string[][] = [];
  // The queries run one after the other, because a connection has one result at a time.
  for (const { name } of SQL_VIEWS) {
    const columns = (await database.query(`select * from ${name} limit 0`)).columnNames();
    views.push([name, `${await count(name)}`, columns.join(', ')]);
  }
  const others = (await count('lines')) - (await count('events'));
  if (others > 0)
    output.print(`\n${others === 1 ? '1 line is not an event' : `${others} lines are not events`}: ${HOW_TO_SEE}`);
  output.print(`\n${aligned(['view', 'rows', 'columns'], views)}\n\n${TRY_NEXT}`);
}

const WHAT_ARRIVED = `
  select connector, stream, kind, count(*) as events, count(distinct event_id) as different, max(forwarded_at) as last_forwarded
  from events group by all order by all`;
const HOW_TO_SEE = '"select line from lines" shows every line as it is.';
const TRY_NEXT = `Try next
  npm run query -- "select id, updated_at, row from current_assets limit 5"
      what exists now
  npm run query -- "select change, stream, count(*) from changes group by all"
      what happened
  npm run query -- --help
      other folders, JSON, more examples`;

const MOST_ROWS = 200;
const WIDEST_CELL = 80;

/** Prints the first rows for people, with a note if rows or cells were cut. */
async function printTable(result: DuckDBResult, output: QueryOutput): Promise<void> {
  const rows: string[][] = [];
  for await (const row of rowsOf(result)) {
    if (rows.push(row.map(cellText)) > MOST_ROWS) break;
  }
  const shown = rows.slice(0, MOST_ROWS);
  output.print(
    aligned(
      result.columnNames().map(terminalLine),
      shown.map(row => row.map(cut)),
    ),
  );
  if (rows.length > MOST_ROWS) output.print(`The first ${MOST_ROWS} rows; --json gives all.`);
  else output.print(rows.length === 1 ? '1 row' : `${rows.length} rows`);
  if (shown.flat().some(text => text.length > WIDEST_CELL)) {
    output.print('Cells that end in … are longer; --json gives them whole.');
  }
}

function cellText(cell: Json): string {
  return cell === null ? '' : terminalLine(typeof cell === 'string' ? cell : JSON.stringify(cell));
}

function cut(text: string): string {
  return text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text;
}

function aligned(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)));
  const rule = widths.map(width => '-'.repeat(width));
  const pad = (text: string, column: number) => text.padEnd(widths[column]!);
  return [titles, rule, ...rows].map(row => row.map(pad).join('  ').trimEnd()).join('\n');
}

async function printJson(result: DuckDBResult, output: QueryOutput): Promise<void> {
  // JSON.stringify of an object would put names such as "2" first and lose `__proto__`, so the
  // object is written member by member.
  const names = result.deduplicatedColumnNames().map(name => JSON.stringify(name));
  for await (const row of rowsOf(result)) {
    output.print(`{${row.map((cell, index) => `${names[index]}:${JSON.stringify(cell)}`).join()}}`);
  }
}

async function* rowsOf(result: DuckDBResult): AsyncGenerator<Json[]> {
  try {
    for await (const rows of result.yieldConvertedRows(cellValue)) yield* rows as Json[][];
  } catch (cause) {
    throwRowError(cause);
  }
}

const TIMESTAMPS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
]);

/**
 * A cell as JSON. Integers that a double cannot hold, and decimals, are strings. Times are ISO 8601
 * in UTC.
 */
const cellValue: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
  // The time is converted here, because DuckDB would use the time zone of this machine.
  if (value instanceof DuckDBTimestampTZValue) return isoTime(String(new DuckDBTimestampValue(value.micros)));
  if (value !== null && TIMESTAMPS.has(type.typeId)) return isoTime(String(value));
  return JsonDuckDBValueConverter(value, type, converter);
};

/** Formats a time as ISO 8601. `infinity` is a timestamp, too, and stays as it is. */
function isoTime(text: string): string {
  return text.includes(' ') ? `${text.replace(' ', 'T')}Z` : text;
}
