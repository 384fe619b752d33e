import type { Sender } from '../../lambda/aws.ts';
import type { Clock } from '../../lambda/ports.ts';
import type { Fetch } from '../../lambda/source/http.ts';

/** The simulated clock of a scene. Calls of the function take no time. */
export interface SceneTime {
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number;
    /** Advances the clock at once, and ends every wait that is due. */
    advance(milliseconds: number): void;
  };
  /** The same client. The clock does not advance during its calls. */
  watch(sender: Sender): Sender;
  /** The function's `fetch`. */
  readonly fetch: Fetch;
  /** The clock as the function reads it. */
  readonly forFunction: Clock;
  /** Resolves after that time, or when the clock stops. */
  pass(milliseconds: number): Promise<void>;
  /** Lets the clock advance during `act`, although the request that `act` answers is pending. */
  during<T>(act: () => T): T;
}
