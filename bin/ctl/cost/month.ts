/** A calendar month in UTC, as AWS bills it. */
export interface Month {
  /** `2026-11`. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

export function monthOf(now: number): Month {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: date.toISOString().slice(0, 7),
    start: Date.UTC(year, month, 1),
    end: Date.UTC(year, month + 1, 1),
  };
}
