/** Rows of texts in columns: the first to the left, the others to the right. */
export function tableText(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ');
  const head = line(titles);
  return [head, '-'.repeat(head.length), ...rows.map(line)].join('\n');
}
