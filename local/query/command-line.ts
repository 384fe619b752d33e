import { Command } from 'commander';
import { VIEWS } from '../../lib/query/views.ts';
import { optionsKeptByNpm } from '../terminal/npm-options.ts';
import { QueryRequestError } from './errors.ts';

export interface QueryRequest {
  /** Absent: a summary of what is there. */
  readonly sql: string | undefined;
  readonly folder: string;
  readonly json: boolean;
}

/** Reads the arguments behind the program's name. `--help` ends the process with 0, a wrong option with 2. @throws QueryRequestError */
export function readCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv = {}): QueryRequest {
  const command = describe();
  const [kept] = optionsKeptByNpm(command, environment);
  if (kept !== undefined) {
    throw new QueryRequestError(`npm kept ${kept} for itself: type "--" before it, as in "npm run query -- ${kept}".`);
  }
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  command.parse(withSqlLast(args), { from: 'user' });
  const { folder, json = false } = command.opts<{ folder: string; json?: true }>();
  const sql = command.args[0];
  if (json && sql === undefined)
    throw new QueryRequestError('--json needs SQL: what there is, is told to people alone.');
  return { sql, folder, json };
}

/** SQL may begin with a comment, which looks like an option: it goes behind all options, where nothing is one. */
function withSqlLast(args: readonly string[]): string[] {
  const at = args.findIndex(argument => /^--(\s|.*\n)/.test(argument));
  return at < 0 ? [...args] : [...args.slice(0, at), ...args.slice(at + 1), '--', args[at]!];
}

function describe(): Command {
  return new Command('npm run query --')
    .usage('[options] ["select …"]')
    .description(
      'Asks the delivered files in SQL (DuckDB), through the same views as Athena has in a deployed stack. Without SQL: what is there. ' +
        'Files are only read, and nothing leaves the machine.',
    )
    .argument('[sql]', 'one statement that reads: select, with, from, describe, summarize, show')
    .option(
      '--folder <path>',
      'where .gz files are, at any depth: the output of npm start, a copy of a bucket',
      '.local',
    )
    .option('--json', 'one JSON object a line, every cell whole; numbers that JSON would round are texts')
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

Exit status: 0 answered, 1 the SQL cannot be run, or a file was left out, 2 options are wrong or there are no files.`;
