/** Formats text for the terminal: tables, durations, times, and commands of the AWS CLI. */

const NUMBER = /^[\d.,?]*$/;

/** Formats a table. Columns of numbers are aligned right, and all others left. */
export function tableText(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)));
  const numeric = titles.map((_, column) => column > 0 && rows.every(row => NUMBER.test(row[column]!)));
  const cell = (text: string, column: number) =>
    numeric[column] ? text.padStart(widths[column]!) : text.padEnd(widths[column]!);
  const line = (cells: readonly string[]) => cells.map(cell).join('  ').trimEnd();
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [line(titles), rule, ...rows.map(line)].join('\n');
}

/** A duration in its largest useful unit, for example `32 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Formats a time as ISO 8601 in UTC, to the second. */
export function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/**
 * A command of the AWS CLI for the operator to run. It names the region, because the operator's
 * shell may have another region.
 *
 *     awsCommand('eu-west-1', 'sns list-topics')  →  aws sns list-topics --region eu-west-1
 *
 * @param words service, operation and options
 */
export function awsCommand(region: string, words: string): string {
  return `aws ${words} --region ${region}`;
}
