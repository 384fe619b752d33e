/** What a figure of the benchmark is: something measured, a floor measured in the same run, and the ratio asked for. */
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
  /** Runs that suffice, where it is fewer than usual: counts come out the same every time, and some runs are long. */
  readonly runs?: number;
  /** One run. */
  measure(size: Size): Promise<Measurement[]>;
}

/** `full` measures; `tiny` only shows that a figure runs. */
export type Size = 'full' | 'tiny';
