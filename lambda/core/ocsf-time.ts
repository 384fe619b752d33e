/** Times as OCSF has them: milliseconds since the epoch. */

/** A zone is asked for: without one the time would be read as that of this machine. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** @returns nothing for what is no time, such as a month of 13 */
export function epochMilliseconds(iso: string): number | undefined {
  if (!ZONED.test(iso)) return undefined;
  // The offset without its colon is ISO 8601 too, but not what ECMAScript promises to read.
  const time = Date.parse(iso.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(time) ? undefined : time;
}
