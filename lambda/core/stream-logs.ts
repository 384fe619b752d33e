import type { LogEntry, StoredLog } from '../ports.ts';
import type { Run } from './run.ts';

/**
 * Number of finished logs that may exist before they are deleted. The table names them together
 * with the last log, so that a later run can delete them after a kill.
 */
const MOST_FINISHED = 10;

/**
 * Keeps the logs of one stream. Logs contain rows, so they are deleted once their batch is saved:
 * ten at a time, and the rest at the end of the run.
 *
 *     named by the table    log 7, earlier 5 6
 *     killed                the next run does 7 again if it is open, and deletes 5 6 7
 */
export class StreamLogs {
  readonly #run: Run;
  #finished: StoredLog[] = [];
  #open: StoredLog | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  /**
   * Takes over the logs of a run that was killed.
   *
   * @param isOpen whether the batch of the last log is not saved yet
   */
  inherit({ key, earlier }: LogEntry, isOpen: boolean): void {
    this.#finished.push(...earlier.map(finished => ({ key: finished })), ...(isOpen ? [] : [{ key }]));
  }

  /** Keys of the logs that are finished, but not deleted. */
  get earlier(): string[] {
    return this.#finished.map(({ key }) => key);
  }

  opened(log: StoredLog): void {
    this.#open = log;
  }

  /** Notes that the batch of the open log is saved. */
  async saved(): Promise<void> {
    if (this.#open) this.#finished.push(this.#open);
    this.#open = undefined;
    if (this.#finished.length > 0 && this.#finished.length % MOST_FINISHED === 0) await this.delete();
  }

  /**
   * Deletes the finished logs. A run succeeds even if this fails, because a later run deletes the
   * logs, or else a lifecycle rule of the bucket.
   *
   * @returns whether they were deleted
   */
  async delete(): Promise<boolean> {
    try {
      await this.#run.logs.delete(this.#finished);
      this.#finished = [];
      return true;
    } catch (error) {
      this.#run.log.warn('Finished logs were not deleted; a later run deletes them, or the bucket after a day', {
        error: error instanceof Error ? error.name : 'unknown',
      });
      return false;
    }
  }
}
