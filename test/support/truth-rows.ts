/** Strings, and everything else that has a meaning of its own; numbers and words lie between. */
const MARK = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
/** Within the stream's object, within the whole. */
const DEPTH_OF_ROWS = 2;

/**
 * The rows of a truth as they are written, cut out of its text: `{"<stream>": {"<id>": <row>, …}, …}`. Parsing and writing
 * them would change their digits.
 *
 * @returns by stream and id the row's text
 */
export function truthRows(text: string): Map<string, Map<string, string>> {
  const streams = new Map<string, Map<string, string>>();
  let rows = new Map<string, string>();
  let depth = 0;
  let name = '';
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (mark === '{' || mark === '[') {
      if (depth === DEPTH_OF_ROWS) start = index;
      if (depth === 1) {
        rows = new Map();
        streams.set(name, rows);
      }
      depth += 1;
    } else if (mark === '}' || mark === ']') {
      depth -= 1;
      if (depth === DEPTH_OF_ROWS) rows.set(name, text.slice(start, index + 1));
    } else if (mark !== ',' && depth <= DEPTH_OF_ROWS) name = JSON.parse(mark);
  }
  return streams;
}
