import { messageOf } from '../errors.ts';

/** Something that was looked for: what it is, or why it could not be read. One part that is hidden must not hide the others. */
export type ReadResult<T> = { readonly value: T } | { readonly notReadable: string };

/** Ctrl-C alone is no answer, and ends the command. */
export async function result<T>(read: () => Promise<T>, signal: AbortSignal): Promise<ReadResult<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (signal.aborted) throw error;
    return { notReadable: messageOf(error).replaceAll('\n', ' ') };
  }
}

/** What to show of it. */
export function readingText<T>(read: ReadResult<T>, text: (value: T) => string): string {
  return 'value' in read ? text(read.value) : `not readable: ${read.notReadable}`;
}

/** For machines: the value itself, or `{"notReadable": "…"}`. */
export function readingJson<T>(read: ReadResult<T>, json: (value: T) => unknown = value => value): unknown {
  return 'value' in read ? json(read.value) : read;
}

export function known<T>(read: ReadResult<T>): T | undefined {
  return 'value' in read ? read.value : undefined;
}
