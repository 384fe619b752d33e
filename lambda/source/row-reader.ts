import type { RowReader } from '../ports.ts';
import type { Api } from './api.ts';

export function createRowReader(api: Api): RowReader {
  return { row: (path, id, signal) => api.single({ path, id, signal }) };
}
