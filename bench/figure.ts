/** A figure of the benchmark compares a measurement with a floor of the same run, and with a target for their ratio. */
export interface Measurement {
  /** What was measured, where a figure has several subjects: `new assets`, `new threats`. */
  readonly subject: string;
  readonly value: number;
  /** Unit of value and floor. */
  readonly unit: string;
  /** Measured beside the value, in the same run; absent where the target is a plain number. */
  readonly floor?: number;
  /** Greatest acceptable value ÷ floor, or value where there is no floor; absent where the figure is only reported. */
  readonly target?: number;
}

export interface Figure {
  readonly name: string;
  /** One sentence for the table's reader. */
  readonly title: string;
  /** Fewer runs than usual, for counts (which do not vary) and for long runs. */
  readonly runs?: number;
  /** One run. */
  measure(size: Size): Promise<Measurement[]>;
}

/** `full` measures; `tiny` only shows that a figure runs. */
export type Size = 'full' | 'tiny';

/** Several runs of a figure, summarized. */
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

/** @param runs the measurements of each run, with the same subjects in the same order */
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
/** The middle of several runs; of an even number, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
}

/** Half the distance between the least and the greatest, as a share of the median. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / 2 / Math.abs(middle);
}
