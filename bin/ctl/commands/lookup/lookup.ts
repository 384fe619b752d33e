/**
 * The command `lookup`: shows one row at the API and its last event, and says whether the SIEM's
 * copy is current.
 */
import { Argument, Command } from 'commander';
import { deadLetterKey } from '../../../../lambda/core/dead-letter.ts';
import type { RowState } from '../../../../lambda/ports.ts';
import { STREAMS, type StreamName } from '../../../../lambda/streams.ts';
import { openAccess, requireStream } from '../../access.ts';
import { countObjects } from '../../bucket.ts';
import { helpText, type RunAction } from '../../command.ts';
import type { Context } from '../../context.ts';
import { RefusedError } from '../../errors.ts';
import { joinTexts, type PaintedText, paint, painted } from '../../painted.ts';
import type { CommandOutcome } from '../../report.ts';
import { askForRow, assetText, type RowAnswer, rowAnswerText } from './answer.ts';
import { LAST_EVENT_TEXTS, neighboursJson, neighboursText, readNeighbours } from './neighbours.ts';
import { isCurrentResult, LOOKUP_RESULTS, type LookupResultName, lookupResultOf, unsettledResult } from './result.ts';

const WITH_STATES = STREAMS.filter(({ hasRowStates }) => hasRowStates).map(({ name }) => name);
const WITH_NEIGHBOURS: StreamName = 'assets';

export function lookupCommand(run: RunAction): Command {
  return new Command('lookup')
    .description('say whether the SIEM’s copy of one row is current; changes nothing')
    .addArgument(new Argument('<stream>', 'stream of the row').choices(WITH_STATES))
    .argument('<id>', 'id of the row, without escaping')
    .option('--related', 'list the neighbours of an asset at the API, with the last event about each')
    .option('--show', 'show the answers of the API, which are your data')
    .addHelpText('after', helpText(HELP, 'lookup threats threat-19', 'lookup assets asset-7f3a --related'))
    .action(run(lookup));
}

function resultLines(current: boolean): string {
  return Object.entries(LOOKUP_RESULTS)
    .filter(([, result]) => result.current === current)
    .map(([word, { meaning }]) => `  ${word.padEnd(15)}  ${meaning}`)
    .join('\n');
}

const HELP = `Results with exit status 0:
${resultLines(true)}
Results with exit status 3:
${resultLines(false)}
The comparison ignores the order of members and stream_position, and compares every digit. To see the event, query the view
"changes" by the sequence: docs/query.md#examples. A single read may have other members than the list, but events contain the row of the list.`;

interface LookupOptions {
  readonly related?: true;
  readonly show?: true;
}

/** @throws RefusedError, AwsCallError; the errors of the API's client */
async function lookup(context: Context, name: StreamName, id: string, options: LookupOptions): Promise<CommandOutcome> {
  const { related, show = false } = options;
  if (related && name !== WITH_NEIGHBOURS) {
    throw new RefusedError(`Only ${WITH_NEIGHBOURS} have neighbours. Nothing was done.`);
  }

  const found = await find(context, name, id);
  const neighbours = related && (await readNeighbours(found.access, found.stream, id));
  return {
    text: joinTexts([lookupText(found, show), ...(neighbours ? ['', neighboursText(neighbours, show)] : [])]),
    json: { ...lookupJson(found, show), ...(neighbours && neighboursJson(neighbours, show)) },
    status: isCurrentResult(found.result) ? 0 : 3,
  };
}

type Found = Awaited<ReturnType<typeof find>>;

/** Reads the row at the API and its row state, and decides whether the SIEM's copy is current. */
async function find(context: Context, name: StreamName, id: string) {
  const access = await openAccess(context);
  const stream = requireStream(access, name);
  const [answer, states, { streams }] = await Promise.all([
    askForRow(access, stream, id),
    access.readRowStates(name, [id]),
    access.loadCheckpoints([name]),
  ]);
  const stored = states.get(id);

  const expected = lookupResultOf(answer, stored);
  const unsettled = isCurrentResult(expected) ? unsettledResult(stored, streams.get(name)) : undefined;
  const isTooLarge = expected === 'same' && (await isOversize(context, name, stored!.rowHash));
  const result: LookupResultName = unsettled ?? (isTooLarge ? 'too large' : expected);
  return { access, stream, id, answer, stored, result };
}

/**
 * Whether an oversize event was sent instead of the row. The row state does not say that, but the
 * row's dead letter does.
 *
 * @throws AwsCallError
 */
async function isOversize({ aws, deployment }: Context, stream: StreamName, rowHash: string): Promise<boolean> {
  const { bucket, connector } = await deployment();
  const key = deadLetterKey({ stream, reason: 'oversize', rowHash }, connector);
  const { count } = await countObjects(aws, bucket, key, 1);
  return count > 0;
}

/**
 * Returns the result as JSON. A row in it is a string that contains JSON, so that no digit is lost.
 */
function lookupJson({ stream, id, answer, stored, result }: Found, show: boolean): object {
  const api = answerJson(answer, show);
  return { stream: stream.name, id, result, siemIsCurrent: isCurrentResult(result), api, lastSent: stored ?? null };
}

function answerJson(answer: RowAnswer, show: boolean): object {
  if (answer.kind !== 'row') return answer;
  const { deleted, rowHash, time, parent, filter, text } = answer.row;
  const facts = { kind: 'row', deleted, rowHash, time: time ?? null, assetId: parent ?? null };
  return { ...facts, ...(filter !== 'send' && { filter }), ...(show && { row: text }) };
}

function lookupText({ stream, id, answer, stored, result }: Found, show: boolean): PaintedText {
  const paintResult = isCurrentResult(result) ? paint.good : paint.bad;
  const { meaning, remedy } = LOOKUP_RESULTS[result];
  return joinTexts([
    painted`${stream.name} ${JSON.stringify(id)}: ${paintResult(result)}. ${meaning}`,
    ...(remedy ? [remedy] : []),
    '',
    `API now:    ${rowAnswerText(answer)}`,
    `Last sent:  ${sentText(stored)}`,
    ...(show && answer.kind === 'row' ? ['', 'Row of the API:', answer.row.text] : []),
  ]);
}

function sentText(stored: RowState | undefined): string {
  if (!stored) return 'never';
  const { status, rowHash, forwardedAt, sequence, parent } = stored;
  if (rowHash === '' && status === 'removed') return 'never, and the row is removed';
  return `${LAST_EVENT_TEXTS[status]}, ${forwardedAt}, sequence ${sequence}${assetText(parent)}`;
}
