import { EventDatabase } from '../../../local/query/event-database.ts';
import { addTo, COPY_QUERY, type CopyRow, unlikeTruth, type ViewsCopy } from '../../simulation/oracle/views.ts';

type Truth = Parameters<typeof unlikeTruth>[0];

/** Compares the views over a folder's files with the platform's truth. @returns a sentence for each fault */
export async function viewsUnlikeTruth(folder: string, truth: Truth): Promise<string[]> {
  using database = await EventDatabase.open(folder);
  const copy: ViewsCopy = new Map();
  for (const row of await (await database.query(COPY_QUERY)).getRows()) addTo(copy, row as unknown as CopyRow);
  return unlikeTruth(truth, copy);
}
