/** The cells of the table's line about a stream. */
export function cells(output: string, stream: string): string[] {
  const line = output.split('\n').find(each => each.startsWith(`${stream} `));
  if (line === undefined) throw new Error(`No line about ${stream} in ${output}`);
  return line.trim().split(/\s{2,}/);
}

/** The part of an output from a text on. */
export function from(output: string, text: string): string {
  const at = output.indexOf(text);
  if (at < 0) throw new Error(`No "${text}" in ${output}`);
  return output.slice(at);
}
