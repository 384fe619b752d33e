/** The cells of the table's line about a stream. */
export function cells(output: string, stream: string): string[] {
  const line = output.split('\n').find(each => each.startsWith(`${stream} `));
  if (line === undefined) throw new Error(`No line about ${stream} in ${output}`);
  return line.trim().split(/\s{2,}/);
}
