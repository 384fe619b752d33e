const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,](\d+))?(Z|\+00:?00)$/;

/** Whether a value is an ISO 8601 time in UTC. */
export function isTimestamp(value: unknown): boolean {
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value.replace(',', '.')));
}

/** Orders two timestamp-like keys: as times with all their digits if both are, else as text. Negative if `a` is first. */
export function comparePositions(a: string, b: string): number {
  const [left, right] = [sortable(a), sortable(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function sortable(text: string): string {
  const match = TIMESTAMP.exec(text);
  return match ? `${match[1]}.${(match[2] ?? '').padEnd(12, '0')}` : text;
}
