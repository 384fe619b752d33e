/** An asset's neighbours at the API, and whether the SIEM was sent each. */
import { Command } from 'commander';
import type { RowState } from '../../../../lambda/ports.ts';
import { openAccess } from '../../access.ts';
import { help, type Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { paint, painted } from '../../painted.ts';
import type { Outcome } from '../../report.ts';
import { tableText } from '../../text.ts';
import { answerOrRefusal, checkAskable, type NoRow } from './answer.ts';
import { answerText } from './lookup.ts';
import { streamOf } from './lookup-row.ts';

type SentState = 'sent' | 'removal sent' | 'withdrawn by the filter' | 'never sent';

export function relatedCommand(run: Run): Command {
  return new Command('related')
    .description("show an asset's neighbours at the API and whether the connector sent each; changes nothing")
    .argument('<id>', 'id of the asset')
    .option('--show', "show the API's answer, which is your data")
    .addHelpText('after', help(MEANING, 'related asset-7f3a', 'related asset-7f3a --json'))
    .action(run(related));
}

const MEANING = `Every object in the answer of the API that has an "id" counts.
Exit status 3: a neighbour was never sent or was removed, or the API refuses.`;

/** @throws RefusedError, AwsCallError; as the API's client does */
async function related(context: Context, id: string, { show = false }: { readonly show?: boolean }): Promise<Outcome> {
  checkAskable(id);
  const access = await openAccess(context);
  const { path } = streamOf(access, 'assets');
  const answer = await answerOrRefusal(() => access.api.single({ path, id, below: '/related' }));
  if (typeof answer !== 'string') return refused(id, answer);
  const ids = neighbourIds(answer, id);
  if (!ids) return refused(id, { kind: 'unclear', why: 'it is not JSON' });
  const states = await access.rowStates.get('assets', ids);
  const neighbours = ids.map(each => ({ id: each, siem: sentStateOf(states.get(each)) }));
  const allSent = neighbours.every(({ siem }) => siem === 'sent');
  const rows = neighbours.map(each => [JSON.stringify(each.id), each.siem]);
  const shown = show ? `\n\nAnswer of the API:\n${answer}` : '';
  const list = ids.length === 0 ? 'No object in the answer has an id.' : tableText(['neighbour', 'SIEM'], rows);
  return {
    text: `assets ${JSON.stringify(id)} has ${ids.length} neighbours at the API.\n\n${list}${shown}`,
    json: { id, neighbours, ...(show && { answer }) },
    status: allSent ? 0 : 3,
  };
}

function refused(id: string, answer: NoRow): Outcome {
  const text = painted`assets ${JSON.stringify(id)}: ${paint.bad('unknown')}. API now: ${answerText(answer)}`;
  return { text, json: { id, neighbours: null, api: answer }, status: 3 };
}

function sentStateOf(stored: RowState | undefined): SentState {
  if (!stored) return 'never sent';
  return ({ live: 'sent', withheld: 'withdrawn by the filter', removed: 'removal sent' } as const)[stored.status];
}
/** Deeper than any list in an envelope. */
const DEEPEST = 4;

/** The `id` of every object in an answer of unspecified shape, except the asset's. @returns undefined if it is not JSON */
export function neighbourIds(answer: string, asset: string): string[] | undefined {
  const ids = new Set<string>();
  const gather = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    const { id } = value as { id?: unknown };
    if (typeof id === 'string' && id !== '' && id !== asset) {
      // Objects within a neighbour, such as its interfaces, are not neighbours.
      ids.add(id);
      return;
    }
    for (const each of Object.values(value)) gather(each, depth + 1);
  };
  try {
    gather(JSON.parse(answer), 0);
  } catch {
    return undefined;
  }
  return [...ids];
}
