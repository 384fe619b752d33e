/** `npm run query`: the delivered events in SQL. See `npm run query -- --help`. */

import { type QueryRequest, readCommandLine } from './query/command-line.ts';
import { deliveredFiles } from './query/delivered-files.ts';
import { QueryFailedError, QueryRequestError } from './query/errors.ts';
import { EventDatabase } from './query/event-database.ts';
import { jsonLines } from './query/json-lines.ts';
import { resultTable } from './query/result-table.ts';
import { summary } from './query/summary.ts';

// Whoever reads along may leave early, as `head` does; there is nothing left to do then.
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

async function answer({ sql, folder, json }: QueryRequest): Promise<void> {
  using database = await EventDatabase.open(await deliveredFiles(folder));
  if (sql === undefined) console.log(await summary(database));
  else if (json) for await (const line of jsonLines(await database.query(sql))) console.log(line);
  else console.log(await resultTable(await database.query(sql)));
  for (const { file, fault } of database.files.unsound) {
    process.exitCode = 1;
    console.error(
      `${file} ${fault}. It was left out, and the answer lacks what it holds. If it is a copy, copy it again.`,
    );
  }
}
