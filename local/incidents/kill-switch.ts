/** Lambda's error for a function whose process has ended. */
export class FunctionKilledError extends Error {
  override readonly name = 'Runtime.ExitError';
  constructor() {
    super('Runtime exited with error: signal: killed');
  }
}

/** Kills a run: its pending calls never return, and it sends no further request. */
export interface KillSwitch {
  readonly killed: boolean;
  kill(): void;
  /** Wraps a call of the run. After the kill the call neither starts nor returns. */
  unlessKilled<T>(act: () => Promise<T>): Promise<T>;
  /** Performs the run. @throws FunctionKilledError at the kill */
  race<T>(run: () => Promise<T>): Promise<T>;
}

export function createKillSwitch(): KillSwitch {
  let killed = false;
  let end: (error: Error) => void = () => undefined;
  const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
  return {
    get killed() {
      return killed;
    },
    kill() {
      killed = true;
      end(new FunctionKilledError());
    },
    async unlessKilled(act) {
      if (killed) return never();
      try {
        const result = await act();
        return killed ? never() : result;
      } catch (error) {
        if (killed) return never();
        throw error;
      }
    },
    race: run =>
      new Promise((resolve, reject) => {
        end = reject;
        run().then(resolve, reject);
      }),
  };
}
