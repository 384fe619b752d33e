import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type DeliveredEvent, parseEvent } from '../../../local/aws/delivered.ts';
import { deliveredLines } from '../../support/delivered-lines.ts';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly secret?: string;
  /** Beside what this process has. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Shell command before the run, such as a limit. */
  readonly shell?: string;
  /** Called with the process after its first progress line. */
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
  async run(
    args: readonly string[],
    { secret, environment, shell = ':', onProgress }: RunOptions = {},
  ): Promise<Ended> {
    const { CLIENT_SECRET: _, ...inherited } = process.env;
    const command = [process.execPath, 'local/start.ts', '--state-folder', this.path, ...args];
    const child = spawn('bash', ['-c', `${shell}; exec "$@"`, 'bash', ...command], {
      env: {
        ...inherited,
        NODE_OPTIONS: '',
        ...(secret === undefined ? {} : { CLIENT_SECRET: secret }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (onProgress) {
      const onData = (chunk: Buffer) => {
        if (!/: \d+ pages?/.test(String(chunk))) return;
        child.stdout.off('data', onData);
        onProgress(child);
      };
      child.stdout.on('data', onData);
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
    const events = (await deliveredLines(this.deliveredFolder(name))).map(parseEvent);
    return events.sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

/** The figures of a stream's column in the table, or of the column `all`. */
export function tableRow({ stdout }: Ended, stream: string): Record<string, number> {
  const lines = stdout.split('\n');
  const start = lines.findIndex(line => line.startsWith('rows '));
  const column = lines[start]!.trim().split(/\s+/).indexOf(stream);
  const figures = lines.slice(start).flatMap(line => {
    const cells = /^(?:[=+] )?([a-z]+(?: [a-z]+)?) {2,}([\d, ]+)$/.exec(line);
    if (!cells) return [];
    return [[cells[1]!, Number(cells[2]!.trim().split(/\s+/)[column - 1]!.replaceAll(',', ''))]];
  });
  return Object.fromEntries(figures);
}

/** Whether every row that was read is counted in exactly one of the table's outcomes. */
export function addsUp(row: Record<string, number>): boolean {
  const outcomes = ['forwarded', 'duplicates', 'superseded', 'unknown', 'filtered', 'dead letters', 'not finished'];
  return row['read'] === outcomes.reduce((sum, title) => sum + (row[title] ?? 0), 0);
}
