import type { LogEntry, StoredLog } from '../ports.ts';
import type { Run } from './run.ts';

/** Logs that are finished and not deleted yet. Each log names them, so that a later run can delete them after a kill. */
const MOST_FINISHED = 10;

/**
 * The logs of one stream that exist. They hold rows, so they are deleted once their batch is saved: ten at a time, and the rest at the end of
 * the run.
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

  /** Takes over the logs of a run that was killed. @param isOpen whether the batch of the last one is not saved */
  inherit({ key, earlier }: LogEntry, isOpen: boolean): void {
    this.#finished.push(...earlier.map(each => ({ key: each })), ...(isOpen ? [] : [{ key }]));
  }

  /** The keys of logs that are finished and not deleted. */
  get earlier(): string[] {
    return this.#finished.map(({ key }) => key);
  }

  opened(log: StoredLog): void {
    this.#open = log;
  }

  /** The batch of the open log is saved. */
  async saved(): Promise<void> {
    if (this.#open) this.#finished.push(this.#open);
    this.#open = undefined;
    if (this.#finished.length > 0 && this.#finished.length % MOST_FINISHED === 0) await this.delete();
  }

  /**
   * Deletes the finished logs. A run succeeds without it, because a later run, or else a lifecycle rule of the bucket, deletes them.
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
