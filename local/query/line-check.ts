import { isUtf8 } from 'node:buffer';

/** Twice what Firehose takes as one record. */
export const LONGEST_LINE_BYTES = 2_048_000;

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Looks for what DuckDB's reader refuses in lines, in the pieces in which a file comes. */
export class LineCheck {
  /** The beginning of a line whose end has not come yet. */
  #begun: Buffer = Buffer.alloc(0);

  /** @returns what is wrong, as the end of a sentence */
  take(piece: Buffer): string | undefined {
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    this.#begun = bytes.subarray(end);
    return faultOfLines(bytes.subarray(0, end)) ?? (this.#begun.length > LONGEST_LINE_BYTES ? TOO_LONG : undefined);
  }

  /** The last line may lack its end. */
  end(): string | undefined {
    return faultOfLines(this.#begun);
  }
}

const TOO_LONG = `has a line of more than ${LONGEST_LINE_BYTES.toLocaleString('en')} bytes`;

function faultOfLines(bytes: Buffer): string | undefined {
  if (bytes.includes(CARRIAGE_RETURN)) return 'has carriage returns';
  if (!isUtf8(bytes)) return 'is not UTF-8';
  return hasLongLine(bytes) ? TOO_LONG : undefined;
}

/** Leaps from line end to line end, as far apart as they may be. */
function hasLongLine(bytes: Buffer): boolean {
  let start = 0;
  while (bytes.length - start > LONGEST_LINE_BYTES) {
    const end = bytes.lastIndexOf(NEW_LINE, start + LONGEST_LINE_BYTES);
    if (end < start) return true;
    start = end + 1;
  }
  return false;
}
