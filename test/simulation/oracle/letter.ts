/** A dead letter as it lies in the bucket, read without a look at the connector's own reader. */
import type { StreamName } from '../history.ts';
import { content } from './lossless.ts';
import { keyOf, type ReceivedEvent } from './siem.ts';

export interface Letter {
  readonly body: string;
  readonly reason: string;
  readonly stream: StreamName;
  /** Stream and id; nothing where the row has no id. */
  readonly row: string | undefined;
  readonly content: string;
  readonly position: string | null;
  readonly deleted: boolean;
}

export function readDeadLetter(body: string): Letter {
  const { reason, stream, row } = JSON.parse(body);
  return {
    body,
    reason,
    stream,
    row: typeof row.id === 'string' ? keyOf(stream, row.id) : undefined,
    content: content(body.slice(body.indexOf(',"row":') + ',"row":'.length, body.lastIndexOf('}'))),
    position: row.stream_position ?? null,
    deleted: row.deleted === true,
  };
}

/** Key of the letter that an `oversize` event points to. */
export function letterOf({ kind, line }: ReceivedEvent): string | undefined {
  return kind === 'oversize' ? /"dead_letter":"s3:\/\/[^/"]+\/([^"]+)"/.exec(line)?.[1] : undefined;
}
