const BARS = '▁▂▃▄▅▆▇█';

/**
 * Values as bars of eight heights, the greatest as high as it goes. A value that is missing is a space, and one above zero is never as low
 * as zero.
 *
 *     [0, 1, 8, undefined, 4]  →  ▁▂█ ▅
 */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(0, ...values.filter(value => value !== undefined));
  return values
    .map(value => {
      if (value === undefined) return ' ';
      const height = most === 0 ? 0 : Math.ceil((value / most) * (BARS.length - 1));
      return BARS[height];
    })
    .join('');
}

/** A bar of that many columns, filled to a share from 0 to 1. */
export function bar(share: number, columns: number): { readonly filled: string; readonly rest: string } {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * columns);
  return { filled: '█'.repeat(filled), rest: '░'.repeat(columns - filled) };
}
