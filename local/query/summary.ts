import { VIEWS } from '../../lib/query/views.ts';
import type { EventDatabase } from './event-database.ts';
import { aligned, resultTable } from './result-table.ts';

/** What is there to be asked, for somebody who has not asked yet. */
export async function summary(database: EventDatabase): Promise<string> {
  const files = database.files.sound.length;
  const counts = new Map<string, number>();
  // One after the other: a connection has one result at a time.
  for (const relation of ['lines', ...VIEWS.map(view => view.name)]) {
    counts.set(relation, await count(database, relation));
  }
  const views = VIEWS.map(({ name, columns }) => [name, `${counts.get(name)}`, Object.keys(columns).join(', ')]);
  const notEvents = counts.get('lines')! - counts.get('events')!;
  return [
    `${files} ${files === 1 ? 'file' : 'files'} of events.\n`,
    await resultTable(await database.query(WHAT_ARRIVED)),
    ...(notEvents > 0
      ? [`\n${notEvents === 1 ? '1 line is no event' : `${notEvents} lines are no events`}: ${HOW_TO_SEE_THEM}`]
      : []),
    `\n${aligned(['view', 'rows', 'columns'], views)}`,
    `\n${TRY_NEXT}`,
  ].join('\n');
}

const WHAT_ARRIVED = `
  select connector, stream, kind, count(*) as events, count(distinct event_id) as different, max(forwarded_at) as last_forwarded
  from events group by all order by all`;
const HOW_TO_SEE_THEM = '"select line from lines" shows every line as it is.';
const TRY_NEXT = `Try next
  npm run query -- "select id, updated_at, row from current_assets limit 5"
      what exists now
  npm run query -- "select change, stream, count(*) from changes group by all"
      what happened
  npm run query -- --help
      other folders, JSON, more examples`;

async function count(database: EventDatabase, relation: string): Promise<number> {
  const [row] = await (await database.query(`select count(*) from ${relation}`)).getRows();
  return Number(row![0]);
}
