import { QueryFailedError } from './errors.ts';

/**
 * DuckDB's own words for what it could not do, with the place in the SQL. It shows the line of a file that it cannot read, with
 * all its options, and the JSON that it cannot parse: neither belongs into a message.
 */
export function duckDbError(cause: unknown): QueryFailedError {
  const { message } = cause as Error;
  return new QueryFailedError(fileWords(message) ?? message.replace(/\s*Input: "[\s\S]*$/, ''), { cause });
}

function fileWords(message: string): string | undefined {
  // Of one that is gone it looks whether the name is a folder's.
  const file =
    /^ {2}file = (.*)\n {2}delimiter = /m.exec(message) ?? /Cannot access file "(.*)\/\*\*\/\*\.csv"/.exec(message);
  return file ? `${file[1]} cannot be read: it has changed since it was looked at. Ask again.` : undefined;
}
