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
