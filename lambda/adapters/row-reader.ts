import type { RowReader } from '../ports.ts';
import type { Api } from './api.ts';
import { pathSegment } from './path-segment.ts';

export function createRowReader(api: Api): RowReader {
  return { row: async (path, id, signal) => api.get(`${path}/${pathSegment(id)}`, signal) };
}
