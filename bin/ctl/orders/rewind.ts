/** Orders that read streams again from the beginning: what they will do is said, and agreed to, before it is done. */
import type { StreamName } from '../../../lambda/streams.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../report/report.ts';
import { concernedRows, concernedText } from './concerned-rows.ts';
import { confirm } from './confirm.ts';
import { command } from './order.ts';
import type { Command } from './payload.ts';

export interface RewindOptions {
  readonly wait: number;
  readonly yes?: true;
  /** False: the rows concerned are not counted. */
  readonly count: boolean;
  readonly untilDone?: true;
}

export interface Rewind {
  readonly streams: readonly StreamName[];
  readonly command: Command;
  /** What it will do. */
  readonly consequence: string;
}

/** @throws as `order` does; RefusedError when nobody agrees */
export async function rewind(context: Context, what: Rewind, options: RewindOptions): Promise<Outcome> {
  await context.deployment();
  const rows = options.count ? await concernedRows(context, what.streams) : undefined;
  const concerned = rows ? `\n${concernedText(rows)}` : '';
  const announcement = `${what.consequence}${concerned}`;
  if (options.yes) context.report.say(announcement);
  else await confirm(announcement, context.signal);
  const { text, json } = await command(context, what.command, options);
  const counts = rows && { rowsConcerned: Object.fromEntries([...rows].map(([name, count]) => [name, count ?? null])) };
  return { text, json: { ...(json as object), ...counts } };
}
