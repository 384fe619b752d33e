/** What an operator orders of the function, as its payload: see lambda/command.ts. */
import type { StreamName } from '../../../lambda/streams.ts';

export interface Command {
  readonly streams?: readonly StreamName[];
  readonly resync?: readonly StreamName[];
  readonly replay?: readonly StreamName[];
  /** Keys of dead letters. */
  readonly redrive?: readonly string[];
}
