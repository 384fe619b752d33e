const NUMBERS = new Intl.NumberFormat('en-US');

export const count = value => NUMBERS.format(value);

/** `1 row`, `2 rows` */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** The scale of a line: by its last half hour, so that one high value does not flatten all that follows. */
export const scaleTop = values => Math.max(1, 1.1 * Math.max(...values.slice(-30)));

export function duration(seconds) {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const pad = value => String(value).padStart(2, '0');

export function clock(time) {
  const date = new Date(time);
  return `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`;
}

/** UTC, as all times of the connector. */
export function moment(time) {
  return new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}
