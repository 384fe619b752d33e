import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { SceneTime } from '../incidents/scene-time.ts';

const MINUTE = 60_000;
/** Milliseconds of this machine between two steps. */
const TICK = 15;
/** Most that the clock catches up in one step after calls have stopped it, as a share of a minute. It is far below every time limit of the function. */
const MOST_CREDIT = 0.05;

export interface PacedTime extends SceneTime, Disposable {
  /** Milliseconds of this machine that a minute takes. May be set at any time. */
  minuteTakes: number;
  /** Stops time until `act` has ended. */
  held<T>(act: () => Promise<T>): Promise<T>;
  /** Runs the task once after that time. Returns a function that cancels it. */
  later(task: () => void, milliseconds: number): () => void;
}

export interface PacedTimeOptions {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly minuteTakes: number;
}

interface Wait {
  readonly due: number;
  readonly resolve: () => void;
  /** Ends when the clock stops. Waits of the function do not end then: it would retry for ever. */
  readonly endsWithTime: boolean;
}

/**
 * A clock that is faster than the machine's. It stops while a call of the function is pending: otherwise a call of a few milliseconds would
 * exceed a time limit of seconds.
 */
export function pacedTime(options: PacedTimeOptions): PacedTime {
  let now = options.start;
  let minuteTakes = options.minuteTakes;
  let waits: Wait[] = [];
  let pending = 0;
  let stopped = false;
  let notify: () => void = () => undefined;

  const hold = (change: 1 | -1): void => {
    pending += change;
    if (pending <= 0) notify();
  };
  const held = async <T>(act: () => Promise<T>): Promise<T> => {
    hold(1);
    try {
      return await act();
    } finally {
      hold(-1);
    }
  };
  const free = async (): Promise<void> => {
    while (pending > 0 && !stopped) {
      await new Promise<void>(resolve => {
        notify = resolve;
      });
    }
  };
  const add = (milliseconds: number, resolve: () => void, endsWithTime = false): Wait => {
    const added = { due: now + milliseconds, resolve, endsWithTime };
    const at = waits.findLastIndex(({ due }) => due <= added.due);
    waits.splice(at + 1, 0, added);
    return added;
  };
  const remove = (gone: Wait): void => {
    waits = waits.filter(each => each !== gone);
  };
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (milliseconds <= 0) return resolve();
      const abort = (): void => {
        remove(added);
        reject(signal?.reason);
      };
      const added = add(milliseconds, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });

  const run = async (): Promise<void> => {
    let last = performance.now();
    let credit = 0;
    while (!stopped) {
      await free();
      await turn();
      if (pending > 0) continue;
      const real = performance.now();
      const mostCredit = MOST_CREDIT * minuteTakes;
      credit = Math.min(credit + real - last, mostCredit);
      last = real;
      const speed = MINUTE / minuteTakes;
      const [next] = waits;
      if (next && next.due <= now + credit * speed) {
        credit -= Math.max(0, next.due - now) / speed;
        now = Math.max(now, next.due);
        waits.shift();
        next.resolve();
      } else {
        now += credit * speed;
        credit = 0;
        const untilNext = next ? Math.ceil((next.due - now) / speed) : TICK;
        // Never longer than one catch-up step. The rest would be lost, and the minute would take longer than set.
        await wait(Math.max(1, Math.min(TICK, mostCredit, untilNext)));
      }
    }
  };
  void run();

  return {
    clock: {
      now: () => Math.floor(now),
      advance(milliseconds) {
        now += milliseconds;
        while (waits[0] && waits[0].due <= now) waits.shift()!.resolve();
      },
    },
    get minuteTakes() {
      return minuteTakes;
    },
    set minuteTakes(milliseconds) {
      minuteTakes = milliseconds;
    },
    held,
    watch: sender => ({ send: command => held(() => sender.send(command)) }),
    // Includes the body, which would otherwise be read while the clock advances.
    fetch: (url, init) => held(async () => whole(await fetch(url, init))),
    forFunction: { now: () => Math.floor(now), sleep },
    pass: milliseconds =>
      new Promise(resolve => {
        if (milliseconds <= 0 || stopped) resolve();
        else add(milliseconds, resolve, true);
      }),
    during(act) {
      hold(-1);
      const result = act();
      const over = (): void => hold(1);
      Promise.resolve(result).then(over, over);
      return result;
    },
    later(task, milliseconds) {
      const added = add(milliseconds, task);
      return () => remove(added);
    },
    [Symbol.dispose]() {
      stopped = true;
      notify();
      for (const { endsWithTime, resolve } of waits) if (endsWithTime) resolve();
    },
  };
}

async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}
