/** The thread that the deployed handler runs in, as in a container of Lambda: its own environment, its own stdout. */
import { parentPort } from 'node:worker_threads';
import { type ApiObservation, observeApi } from './api-observation.ts';
import { type ThrownError, thrownError } from './thrown-error.ts';

export type ToThread =
  | { readonly kind: 'invoke'; readonly milliseconds: number }
  /** Shortens what is left of the invocation. */
  | { readonly kind: 'hurry'; readonly milliseconds: number };

export type FromThread =
  | { readonly kind: 'observed'; readonly observation: ApiObservation }
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly error: ThrownError };

const port = parentPort!;
const tell = (message: FromThread) => port.postMessage(message);
let deadline = 0;

observeApi(observation => tell({ kind: 'observed', observation }));

port.on('message', (message: ToThread) => {
  const end = Date.now() + message.milliseconds;
  deadline = message.kind === 'hurry' ? Math.min(deadline, end) : end;
  if (message.kind === 'invoke') void invoke();
});

async function invoke(): Promise<void> {
  try {
    const { handler } = await import('../../lambda/handler.ts');
    const result = await handler({}, { getRemainingTimeInMillis: () => deadline - Date.now() });
    await flushed();
    tell({ kind: 'returned', result });
  } catch (error) {
    await flushed();
    tell({ kind: 'threw', error: thrownError(error) });
  }
}

/** A thread's output travels in messages, piece by piece: what is under way when it ends is lost. */
async function flushed(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>(resolve => stream.write('', () => resolve()));
  }
}
