/** What several runs of a figure come to. */
import type { Measurement } from './figure.ts';
import { median, spread } from './statistics.ts';

export interface Result {
  readonly figure: string;
  readonly subject: string;
  readonly unit: string;
  readonly runs: number;
  readonly value: number;
  readonly floor: number | undefined;
  /** Median of the runs' ratios, each against the floor of its own run; the value where there is no floor. */
  readonly compared: number;
  /** Half the distance between the least and the greatest of them, as a share. */
  readonly spread: number;
  readonly target: number | undefined;
  readonly met: boolean | undefined;
}

/** @param runs the readings of each run, subject by subject in the same order */
export function summarize(figure: string, runs: readonly (readonly Measurement[])[]): Result[] {
  return runs[0]!.map((first, index) => {
    const measurements = runs.map(run => run[index]!);
    const compared = measurements.map(({ value, floor }) => (floor === undefined ? value : value / floor));
    const { subject, unit, target } = first;
    return {
      figure,
      subject,
      unit,
      runs: runs.length,
      value: median(measurements.map(each => each.value)),
      floor: first.floor === undefined ? undefined : median(measurements.map(each => each.floor!)),
      compared: median(compared),
      spread: spread(compared),
      target,
      met: target === undefined ? undefined : median(compared) <= target,
    };
  });
}

const HEAD = ['figure', 'subject', 'value', 'floor', 'unit', 'ratio', '±', 'target', ''];

/** A line each, columns aligned. */
export function table(results: readonly Result[]): string {
  const lines = [HEAD, ...results.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells({ figure, subject, value, floor, unit, compared, spread, runs, target, met }: Result): string[] {
  return [
    figure,
    subject,
    short(value),
    floor === undefined ? '' : short(floor),
    unit,
    floor === undefined ? '' : compared.toFixed(2),
    runs === 1 ? '' : `${(spread * 100).toFixed(0)} %`,
    target === undefined ? '' : `≤ ${target}`,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ];
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(Math.max(3, Math.trunc(value).toString().length));
}
