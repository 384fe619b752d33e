/** The neighbours of an asset at the API, each with the last event about it. */
import type { RowState } from '../../../../lambda/ports.ts';
import type { SyncedStream } from '../../../../lambda/streams.ts';
import type { ConnectorAccess } from '../../access.ts';
import { tableText } from '../../text.ts';
import { answerOrRefusal, rowAnswerText } from './answer.ts';

type Neighbours = Awaited<ReturnType<typeof readNeighbours>>;

/** Text about the last event of a row, by the status of the row state. */
export const LAST_EVENT_TEXTS: Readonly<Record<RowState['status'], string>> = {
  live: 'a row',
  filtered: 'a withdrawal because of the filter, or nothing',
  removed: 'a removal',
};

/** @throws AwsCallError; the errors of the API's client, except for a refusal */
export async function readNeighbours(access: ConnectorAccess, { name, path }: SyncedStream, id: string) {
  const text = await answerOrRefusal(() => access.api.single({ path, id, below: '/related' }));
  if (typeof text !== 'string') return text;
  const ids = neighbourIds(text, id);
  if (!ids) return { kind: 'unclear' as const, why: 'it is not JSON' };

  const states = await access.readRowStates(name, ids);
  const all = ids.map(each => ({ id: each, lastSent: states.get(each)?.status ?? null }));
  return { kind: 'neighbours' as const, text, all };
}

export function neighboursText(neighbours: Neighbours, show: boolean): string {
  if (neighbours.kind !== 'neighbours') return `Neighbours: ${rowAnswerText(neighbours)}`;
  const { all, text } = neighbours;
  const rows = all.map(({ id, lastSent }) => [JSON.stringify(id), lastSent ? LAST_EVENT_TEXTS[lastSent] : 'never']);
  const list = rows.length === 0 ? 'No object in the answer has an id.' : tableText(['neighbour', 'last sent'], rows);
  return show ? `${list}\n\nNeighbours as the API answers:\n${text}` : list;
}

export function neighboursJson(neighbours: Neighbours, show: boolean): object {
  if (neighbours.kind !== 'neighbours') return { neighbours: null, neighboursAnswer: neighbours };
  return { neighbours: neighbours.all, ...(show && { neighboursAnswer: neighbours.text }) };
}

/**
 * Largest depth of nesting at which ids are searched for. It is deeper than any list that an answer
 * may wrap in objects.
 */
const DEEPEST = 4;

/**
 * Finds the `id` of every object in an answer whose shape is not specified, except the asset's own
 * id. Objects within a neighbour, such as its interfaces, are not neighbours.
 *
 * @returns undefined if the answer is not JSON
 */
export function neighbourIds(answer: string, asset: string): string[] | undefined {
  const ids = new Set<string>();
  const gather = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    const { id } = value as { readonly id?: unknown };
    if (typeof id === 'string' && id !== '' && id !== asset) ids.add(id);
    else for (const member of Object.values(value)) gather(member, depth + 1);
  };

  try {
    gather(JSON.parse(answer), 0);
  } catch {
    return undefined;
  }
  return [...ids];
}
