import { printedMessage } from './errors.ts';

/**
 * A value, or the reason why it could not be read. One unreadable part must not hide the other
 * parts.
 */
export type ReadResult<T> = { readonly value: T } | { readonly notReadable: string };

/** Catches every error except an interruption by Ctrl-C. */
export async function tryRead<T>(read: () => Promise<T>, signal: AbortSignal): Promise<ReadResult<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (signal.aborted) throw error;
    return { notReadable: printedMessage(error).replaceAll('\n', ' ') };
  }
}

type Parts = Readonly<Record<string, () => Promise<unknown>>>;

/** Reads all parts at the same time. */
export async function tryReadAll<P extends Parts>(parts: P, signal: AbortSignal) {
  const reads = Object.entries(parts).map(async ([name, read]) => [name, await tryRead(read, signal)] as const);
  const all = Object.fromEntries(await Promise.all(reads));
  return all as { readonly [Name in keyof P]: ReadResult<Awaited<ReturnType<P[Name]>>> };
}

export function readResultText<T, R = string>(read: ReadResult<T>, text: (value: T) => R): R | string {
  return 'value' in read ? text(read.value) : `not readable: ${read.notReadable}`;
}

/** The value itself, or `{"notReadable": "…"}`. */
export function readResultJson<T>(read: ReadResult<T>, json: (value: T) => unknown = value => value): unknown {
  return 'value' in read ? json(read.value) : read;
}

export function valueIfRead<T>(read: ReadResult<T>): T | undefined {
  return 'value' in read ? read.value : undefined;
}
