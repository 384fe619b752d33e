import type { Sender } from '../../lambda/aws.ts';
import type { Clock } from '../../lambda/ports.ts';
import type { Fetch } from '../../lambda/source/http.ts';

/** The time of a scene, which is not the machine's. Calls of the function take none of it. */
export interface SceneTime {
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number;
    /** Lets time pass at once, and with it every wait that is due. */
    advance(milliseconds: number): void;
  };
  /** The same client, whose calls time waits for. */
  watch(sender: Sender): Sender;
  /** The function's `fetch`. */
  readonly fetch: Fetch;
  /** What the function sees of the clock. */
  readonly forFunction: Clock;
  /** Resolves when so much time has passed, or when time stops. */
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass during `act`, although the request that `act` answers is pending. */
  during<T>(act: () => T): T;
}
