import { LONGEST_LINE_BYTES } from './line-check.ts';

/** Statements that make the relation `lines(line, prefix, delivery_day)` of sound files, and shut out everything else. */
export function linesOfFiles(files: readonly string[]): string[] {
  const patterns = files.map(asPattern);
  return [
    files.length === 0 ? NO_LINES : linesOf(patterns),
    `set allowed_paths = [${[...new Set([...files, ...patterns])].map(quoted).join()}]`,
    'set enable_external_access = false',
  ];
}

const NO_LINES =
  "create view lines as select cast(null as varchar) as line, '' as prefix, cast(null as varchar) as delivery_day where false";

function linesOf(patterns: readonly string[]): string {
  // One column and a delimiter that cannot occur: JSON allows no control character as it is. Nothing is parsed, so nothing is lost.
  // Folders such as `line=1` are no columns. A line's end counts to it.
  return `create view lines as
     select line, '' as prefix, nullif(regexp_extract(filename, '([0-9]{4}/[0-9]{2}/[0-9]{2})/[0-9]{2}/[^/]*$', 1), '') as delivery_day
     from read_csv([${patterns.map(quoted).join()}], columns = {'line': 'varchar'}, auto_detect = false, header = false,
       delim = '\\x01', quote = '', escape = '', comment = '', new_line = '\\n', max_line_size = ${LONGEST_LINE_BYTES + 1},
       compression = 'gzip', filename = true, hive_partitioning = false)`;
}

/** Every path is a pattern to DuckDB. */
function asPattern(path: string): string {
  return path.replace(/[[*?]/g, '[$&]');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
