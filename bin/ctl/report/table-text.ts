const NUMBER = /^[\d.,?]*$/;

/** Rows of texts in columns: numbers to the right, words to the left. */
export function tableText(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)));
  const numeric = titles.map((_, column) => column > 0 && rows.every(row => NUMBER.test(row[column]!)));
  const cell = (text: string, column: number) =>
    numeric[column] ? text.padStart(widths[column]!) : text.padEnd(widths[column]!);
  const line = (cells: readonly string[]) => cells.map(cell).join('  ').trimEnd();
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [line(titles), rule, ...rows.map(line)].join('\n');
}
