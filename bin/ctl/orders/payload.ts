/** What an operator orders of the function, as its payload: see lambda/order.ts. */
import type { StreamName } from '../../../lambda/streams.ts';

export interface Order {
  readonly streams?: readonly StreamName[];
  readonly resync?: readonly StreamName[];
  readonly replay?: readonly StreamName[];
  /** Keys of dead letters. */
  readonly redrive?: readonly string[];
}
