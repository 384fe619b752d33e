/** An asset's neighbours by the API, and whether the SIEM knows of each. */
import type { StoredState } from '../../../lambda/ports.ts';
import { openAccess } from '../access/access.ts';
import type { Context } from '../context.ts';
import { paint } from '../report/paint.ts';
import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import { checkAskable, told, type Untold } from './answer.ts';
import { streamOf } from './inquire.ts';
import { answerText } from './inquiry-text.ts';
import { neighbourIds } from './neighbours.ts';

type Knowledge = 'sent' | 'told that it is gone' | 'never sent' | 'not known';

/** @throws RefusedError, AwsCallError; as the API's client does when it cannot be asked */
export async function related(context: Context, id: string, show: boolean): Promise<Outcome> {
  checkAskable(id);
  const access = await openAccess(context);
  const { path } = streamOf(access, 'assets');
  const answer = await told(() => access.api.single({ path, id, below: '/related' }));
  if (typeof answer !== 'string') return refused(id, answer);
  const ids = neighbourIds(answer, id);
  if (!ids) return refused(id, { kind: 'unclear', why: 'it is not JSON' });
  const states = await access.rowStates.get('assets', ids);
  const neighbours = ids.map(each => ({ id: each, siem: knowledgeOf(states.get(each)) }));
  const sound = neighbours.every(({ siem }) => siem === 'sent');
  const rows = neighbours.map(each => [JSON.stringify(each.id), each.siem]);
  const shown = show ? `\n\nAnswer of the API:\n${answer}` : '';
  const list = ids.length === 0 ? 'No object of the answer bears an id.' : tableText(['neighbour', 'SIEM'], rows);
  return {
    text: `assets ${JSON.stringify(id)} has ${ids.length} neighbours by the API now.\n\n${list}${shown}`,
    json: { id, neighbours, ...(show && { answer }) },
    status: sound ? 0 : 3,
  };
}

function refused(id: string, answer: Untold): Outcome {
  const text = `assets ${JSON.stringify(id)}: ${paint.bad('not known')}. API now: ${answerText(answer)}`;
  return { text, json: { id, neighbours: null, api: answer }, status: 3 };
}

function knowledgeOf(stored: StoredState | undefined): Knowledge {
  if (!stored) return 'never sent';
  if (stored instanceof Error) return 'not known';
  return stored.removed ? 'told that it is gone' : 'sent';
}
