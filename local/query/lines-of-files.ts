/** Statements that make the relation `lines(line, delivery_day)` of gzipped files, and shut out everything else. */
export function linesOfFiles(files: readonly string[]): string[] {
  const patterns = files.map(asPattern);
  return [
    // One column and a delimiter that cannot occur: JSON allows no control character as it is. Nothing is parsed, so nothing is lost.
    `create view lines as
     select line, nullif(regexp_extract(filename, '([0-9]{4}/[0-9]{2}/[0-9]{2})/[0-9]{2}/[^/]*$', 1), '') as delivery_day
     from read_csv([${patterns.map(quoted).join()}], columns = {'line': 'varchar'}, auto_detect = false, header = false,
       delim = '\\x01', quote = '', escape = '', comment = '', new_line = '\\n', max_line_size = ${LONGEST_LINE_BYTES},
       compression = 'gzip', filename = true)`,
    `set allowed_paths = [${[...new Set([...files, ...patterns])].map(quoted).join()}]`,
    'set enable_external_access = false',
  ];
}

/** Twice what Firehose takes as one record. */
const LONGEST_LINE_BYTES = 2_048_000;

/** Every path is a pattern to DuckDB. One with a backslash besides cannot be written: it is then said not to be found. */
function asPattern(path: string): string {
  return path.replace(/[[*?]/g, '[$&]');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
