/**
 * Object keys as paths below a bucket's folder and back. S3 keys are any text; as paths, segments that a file system would
 * take for something else (empty, `.`, `..`, a NUL) are escaped, so that no key leaves its bucket.
 */
export function keyToPath(key: string): string {
  return key.split('/').map(escapeSegment).join('/');
}

export function pathToKey(path: string): string {
  return path.split('/').map(unescapeSegment).join('/');
}

const EMPTY = '%';

function escapeSegment(segment: string): string {
  if (segment === '') return EMPTY;
  const escaped = segment.replaceAll('%', '%25').replaceAll('\0', '%00').replaceAll('\\', '%5C');
  return escaped === '.' || escaped === '..' ? escaped.replaceAll('.', '%2E') : escaped;
}

function unescapeSegment(segment: string): string {
  return segment === EMPTY ? '' : decodeURIComponent(segment);
}
