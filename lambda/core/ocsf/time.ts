/** Times as OCSF has them: milliseconds since the epoch. */

/** A zone is asked for: without one the time would be read as that of this machine. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;
const DATE_LENGTH = 10;
const DAYS_OF_EVERY_MONTH = 28;

/** @returns nothing for what is no time, such as a month of 13 or a 30 February */
export function epochMilliseconds(iso: string): number | undefined {
  if (!ZONED.test(iso) || !isDay(iso.slice(0, DATE_LENGTH))) return undefined;
  // The offset without its colon is ISO 8601 too, but not what ECMAScript promises to read.
  const time = Date.parse(iso.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(time) ? undefined : time;
}

/** V8 takes the 30 February for the 2 March. */
function isDay(date: string): boolean {
  const day = Number(date.slice(-2));
  return day <= DAYS_OF_EVERY_MONTH || new Date(`${date}T00:00Z`).getUTCDate() === day;
}
