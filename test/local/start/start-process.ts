import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { deliveredLines } from '../../support/delivered-lines.ts';
import { type Ended, run } from '../../support/parts/command.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/parts/temporary-folder.ts';

export interface RunOptions {
  readonly secret?: string;
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Shell command before the run, such as a limit. */
  readonly shell?: string;
  /** Called with the process after its first progress line. */
  readonly onProgress?: (child: ChildProcess) => void;
}

/** A run takes seconds on an idle machine, and minutes on a busy one. */
const MOST_SECONDS = 600;

/** A temporary state folder for `npm start`. */
export class StateFolder implements AsyncDisposable {
  readonly #folder: TemporaryFolder;

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
  }

  static async make(prefix = 'start-'): Promise<StateFolder> {
    return new StateFolder(await temporaryFolder(prefix));
  }

  get path(): string {
    return this.#folder.path;
  }

  /** Runs `npm start` as a process of its own, without a terminal. */
  async run(
    args: readonly string[],
    { secret, environment, shell = ':', onProgress }: RunOptions = {},
  ): Promise<Ended> {
    const { CLIENT_SECRET: _, ...inherited } = process.env;
    const secrets = secret === undefined ? {} : { CLIENT_SECRET: secret };
    const command = [process.execPath, 'local/start.ts', '--state-folder', this.path, ...args];
    return await run('bash', ['-c', `${shell}; exec "$@"`, 'bash', ...command], MOST_SECONDS, {
      environment: { ...inherited, NODE_OPTIONS: '', ...secrets, ...environment },
      onStart: child => {
        const onData = (chunk: Buffer) => {
          if (!/: \d+ pages?/.test(String(chunk))) return;
          child.stdout.off('data', onData);
          onProgress?.(child);
        };
        if (onProgress) child.stdout.on('data', onData);
      },
    });
  }

  deliveredFolder(name: string): string {
    return join(this.path, name, 's3', 'security-data', 'events');
  }

  /** The lines of all events that runs have delivered. */
  delivered(name: string): Promise<string[]> {
    return deliveredLines(this.deliveredFolder(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
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
