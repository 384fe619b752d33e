import { terminalLine } from '../terminal/terminal-text.ts';
import type { ApiObservation } from './api-observation.ts';
import { DeliveredCount } from './delivered-count.ts';
import { Progress, type Screen } from './progress.ts';

export interface MonitoredStream {
  readonly name: string;
  /** URL of its list, without query. */
  readonly url: string;
}

/** Gathers what is seen at the edges of the function, which knows nothing of being watched, and shows it at intervals. */
export class ProgressWatch {
  readonly #streams: readonly MonitoredStream[];
  readonly #progress: Progress;
  readonly #delivered: DeliveredCount;
  readonly #pages = new Map<string, number>();
  #trouble: string | undefined;
  #note: string | undefined;
  #waitsFor: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #showing: Promise<void> = Promise.resolve();

  private constructor(streams: readonly MonitoredStream[], screen: Screen, delivered: DeliveredCount) {
    this.#streams = streams;
    this.#progress = new Progress(screen);
    this.#delivered = delivered;
  }

  /**
   * @param folder of the delivered files
   * @param onLine called with each line that this run delivers
   */
  static async start(
    streams: readonly MonitoredStream[],
    folder: string,
    screen: Screen,
    onLine?: (line: string) => void,
  ): Promise<ProgressWatch> {
    const watch = new ProgressWatch(streams, screen, await DeliveredCount.from(folder, onLine));
    watch.#showLater();
    return watch;
  }

  /** Files delivered so far by this run. */
  get objects(): number {
    return this.#delivered.objects;
  }

  /** Why the last request has to be made again; nothing once the API has answered. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  readonly observe = ({ url, status, trouble }: ApiObservation): void => {
    const isAnswered = status !== undefined && status !== 429 && status < 500;
    this.#trouble = isAnswered ? undefined : terminalLine(`${trouble ?? `answer ${status}`} (${url})`);
    if (status !== 200) return;
    this.#pages.set(url, (this.#pages.get(url) ?? 0) + 1);
    if (this.#streams.some(stream => stream.url === url)) this.#waitsFor = undefined;
  };

  /** Said beneath the streams, until the end. */
  note(text: string): void {
    this.#note = text;
  }

  /** Said beneath the streams, until the next page. */
  waitsFor(text: string): void {
    this.#waitsFor = text;
  }

  /** Shows the final state. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#showing;
    clearTimeout(this.#timer);
    this.#note = '';
    await this.#show();
  }

  #showLater(): void {
    this.#timer = setTimeout(() => {
      this.#showing = this.#show().finally(() => this.#showLater());
      // Told at the end, where it is awaited.
      this.#showing.catch(() => undefined);
    }, this.#progress.interval);
  }

  async #show(): Promise<void> {
    await this.#delivered.update();
    const streams = this.#streams.map(({ name, url }) => ({
      stream: name,
      pages: this.#pages.get(url) ?? 0,
      delivered: this.#delivered.of(name),
    }));
    this.#progress.show(streams, this.#note ?? this.#waitsFor ?? (this.#trouble && `trying again: ${this.#trouble}`));
  }
}
