/** Looks again and again: the whole picture redrawn on a terminal, a line a change elsewhere. */

import { terminalText } from '../../../local/terminal/terminal-text.ts';
import type { Context } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { terminalReport } from '../report/paint.ts';
import { timeText } from '../report/time-text.ts';
import { type Look, look } from './look.ts';
import { lookJson } from './look-json.ts';
import { lookText } from './look-text.ts';
import { streamLooks } from './stream-condition.ts';
import { type Result, resultOf, resultText } from './verdict.ts';

/** Cursor to the upper left corner, and everything erased from there. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** Until Ctrl-C, which is how a watch is meant to end. @param every milliseconds between two looks */
export async function watch(context: Context, every: number): Promise<void> {
  const { clock, signal } = context;
  let told = '';
  try {
    for (let looking = context; ; looking = await lookedUpAnew(looking)) {
      const seen = await look(looking);
      const result = resultOf(seen);
      if (process.stdout.isTTY && !context.report.json) redraw(seen, result, every);
      else told = tellChange(context, seen, result, told);
      await clock.sleep(every, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A deployment may go wrong while one watches; that it cannot be looked up for a moment is no reason to look away. */
async function lookedUpAnew(context: Context): Promise<Context> {
  const anew = context.anew();
  try {
    await anew.deployment();
    return anew;
  } catch (error) {
    if (context.signal.aborted || error instanceof RefusedError) throw error;
    return context;
  }
}

function redraw(seen: Look, result: Result, every: number): void {
  const foot = `${timeText(seen.now)}, every ${every / 1000} s. Ctrl-C ends.`;
  process.stdout.write(`${CLEAR}${terminalReport(lookText(seen, result))}\n\n${foot}\n`);
}

/** @returns what is known to whoever reads; nothing is told twice */
function tellChange({ report }: Context, seen: Look, result: Result, told: string): string {
  const streams = streamLooks(seen).map(({ stream, condition }) => `${stream} ${condition}`);
  const news = `${resultText(result)} (${streams.join(', ')})`;
  if (news === told) return told;
  const line = report.json ? JSON.stringify(lookJson(seen, result)) : `${timeText(seen.now)} ${news}`;
  process.stdout.write(`${report.json ? terminalText(line) : terminalReport(line)}\n`);
  return news;
}
