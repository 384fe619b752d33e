import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type DeliveredEvent, deliveredEvents } from '../../../local/aws/delivered.ts';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly secret?: string;
  /** Called with the process once it has shown where the streams are. */
  readonly onProgress?: (child: ChildProcess) => void;
}

/** State folder for `npm start`, gone afterwards. */
export class StateFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<StateFolder> {
    return new StateFolder(await mkdtemp(join(tmpdir(), 'start-')));
  }

  /** What `npm start` does, as a process of its own without a terminal. */
  async run(args: readonly string[], { secret, onProgress }: RunOptions = {}): Promise<Ended> {
    const { CLIENT_SECRET: _, ...inherited } = process.env;
    const child = spawn(process.execPath, ['local/start.ts', '--state-folder', this.path, ...args], {
      env: { ...inherited, NODE_OPTIONS: '', ...(secret === undefined ? {} : { CLIENT_SECRET: secret }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (onProgress) {
      const told = (chunk: Buffer) => {
        if (!String(chunk).includes('pages read')) return;
        child.stdout.off('data', told);
        onProgress(child);
      };
      child.stdout.on('data', told);
    }
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { status, stdout, stderr };
  }

  deliveredFolder(name: string): string {
    return join(this.path, name, 's3', 'security-data', 'events');
  }

  /** Every event that runs have delivered, in the order in which they were sent. */
  async delivered(name: string): Promise<DeliveredEvent[]> {
    const events: DeliveredEvent[] = [];
    for await (const event of deliveredEvents(this.deliveredFolder(name))) events.push(event);
    return events.sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

/** The figures of the table's line that begins with `stream`. */
export function tableRow({ stdout }: Ended, stream: string): Record<string, number> {
  const titles = ['read', 'forwarded', 'suppressed', 'tombstones', 'withdrawn', 'dead letters'];
  const line = stdout.split('\n').find(each => each.startsWith(`${stream} `) && !each.includes('pages'))!;
  const figures = line
    .slice(stream.length)
    .trim()
    .split(/\s+/)
    .map(figure => Number(figure.replaceAll(',', '')));
  return Object.fromEntries(titles.map((title, index) => [title, figures[index]!]));
}
