import { progress, spinner } from '@clack/prompts';

/** Work under way: a bar or a spinner on a terminal, a line at each tenth elsewhere, nothing where a machine reads. */
export interface Progress extends Disposable {
  /** @param done so much more is done @param text where the work stands */
  advance(done: number, text: string): void;
  /** Ends it with a last word. Disposing does the same without one. */
  stop(text: string): void;
}

export interface ProgressOptions {
  readonly title: string;
  readonly total: number | undefined;
  readonly silent: boolean;
}

export function createProgress(options: ProgressOptions): Progress {
  if (options.silent) return { advance: () => undefined, stop: () => undefined, [Symbol.dispose]: () => undefined };
  return process.stderr.isTTY ? animated(options) : written(options);
}

function animated({ title, total }: ProgressOptions): Progress {
  const output = process.stderr;
  const bar = total ? progress({ max: total, output, withGuide: false }) : undefined;
  const shown = bar ?? spinner({ output, withGuide: false });
  shown.start(title);
  let ended = false;
  const stop = (text: string) => {
    if (ended) return;
    ended = true;
    shown.stop(text);
  };
  return {
    advance(done, text) {
      if (bar) bar.advance(done, text);
      else shown.message(text);
    },
    stop,
    [Symbol.dispose]: () => stop(title),
  };
}

/** A log keeps what it is told, so it is told little. */
function written({ title, total = 0 }: ProgressOptions): Progress {
  const step = Math.max(total / 10, 10_000);
  let done = 0;
  let told = 0;
  process.stderr.write(`${title}\n`);
  return {
    advance(more, text) {
      done += more;
      if (done - told < step) return;
      told = done;
      process.stderr.write(`${text}\n`);
    },
    stop: text => void process.stderr.write(`${text}\n`),
    [Symbol.dispose]: () => undefined,
  };
}
