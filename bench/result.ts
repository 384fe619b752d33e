import type { Measurement } from './figures.ts';

/**
 * Summary of several runs of one measurement: the median of the values, and the median of the
 * ratios of each run.
 */
export interface FigureResult extends Measurement {
  readonly figure: string;
  readonly ratio: number | undefined;
  /**
   * Half the distance between the least and the greatest compared value, as a share of the median.
   */
  readonly spread: number;
  readonly missed: boolean;
}

export function resultOf(figure: string, runs: readonly Measurement[]): FigureResult {
  const { target, floor } = runs[0]!;
  const compared = runs.map(run => (run.floor === undefined ? run.value : run.value / run.floor));
  const middle = median(compared);
  return {
    ...runs[0]!,
    figure,
    value: median(runs.map(({ value }) => value)),
    ...(floor !== undefined && { floor: median(runs.map(run => run.floor!)) }),
    ratio: floor === undefined ? undefined : middle,
    spread: middle === 0 ? 0 : (Math.max(...compared) - Math.min(...compared)) / 2 / middle,
    missed: target !== undefined && middle > target,
  };
}

/** Median of the values. If their number is even, it is the lower of the two middle values. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!;
}

export function resultTable(results: readonly FigureResult[]): string {
  const lines = results.map(({ figure, subject, value, floor, unit, ratio, spread, target, missed }) => [
    figure,
    subject,
    `${short(value)} ${unit}`,
    floor === undefined ? '' : short(floor),
    ratio === undefined ? '' : `${ratio.toFixed(2)}${spread === 0 ? '' : ` ± ${(spread * 100).toFixed(0)} %`}`,
    target === undefined ? '' : `≤ ${target}${missed ? ' MISSED' : ''}`,
  ]);
  return markdown(['figure', 'of', 'value', 'floor', 'ratio', 'target'], lines);
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(Math.max(3, Math.trunc(value).toString().length));
}

/** Writes a table in the form of the documents, with aligned columns. */
function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map(line => line[column]!.length)));
  const row = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [row(head), row(widths.map(width => '-'.repeat(width))), ...lines.map(row)].join('\n');
}
