/**
 * An id as one segment of a path. A URL drops the segments `.` and `..`, however they are encoded: such a request would reach
 * another resource.
 *
 * @throws RangeError when no path can hold the id
 */
export function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed()) throw new RangeError('No path can hold this id');
  return encodeURIComponent(id);
}
