/** A story is a sequence of named steps on one deployment. Each step prints how long it took and what memory is in use then. */
import { styleText } from 'node:util';
import { run } from '../../support/parts/command.ts';

/** A step failed. The steps after it were not tried. */
export class StepFailedError extends Error {
  override readonly name = 'StepFailedError';
}

export interface Memory {
  readonly emulator: number;
  /** Processes in which the function runs. */
  readonly functions: number;
}

export interface Story {
  /** Whether to run only the steps that prove the most in little time. */
  readonly bounded: boolean;
  step<T>(name: string, act: () => Promise<T>): Promise<T>;
  /** Prints a finding under the step. */
  note(text: string): void;
}

/** @param group the process group of the emulator */
export function startStory(group: number, bounded: boolean): Story {
  const notes: string[] = [];
  return {
    bounded,
    note: text => void notes.push(text),
    async step(name, act) {
      const begun = performance.now();
      const failed = (cause: unknown): never => {
        console.log(`  ${styleText('red', 'FAILED')} ${name}`);
        throw new StepFailedError(`The step "${name}" failed: ${(cause as Error).message}`, { cause });
      };
      const result = await act().catch(failed);
      const seconds = (performance.now() - begun) / 1000;
      const { emulator, functions } = await memoryOf(group);
      console.log(`  ${seconds.toFixed(1).padStart(5)} s ${megabytes(emulator)} ${megabytes(functions)}  ${name}`);
      for (const note of notes.splice(0)) console.log(`${' '.repeat(27)}${note}`);
      return result;
    },
  };
}

function megabytes(value: number): string {
  return `${value.toFixed(0).padStart(5)} MB`;
}

/** Resident megabytes of the emulator, and of the processes of Node that it started. */
async function memoryOf(group: number): Promise<Memory> {
  const { stdout } = await run('ps', ['-A', '-o', 'pgid=,rss=,comm='], 30);
  const memory = { emulator: 0, functions: 0 };
  for (const line of stdout.split('\n')) {
    const [pgid, kilobytes, name = ''] = line.trim().split(/\s+/);
    if (Number(pgid) !== group) continue;
    memory[/python/i.test(name) ? 'emulator' : 'functions'] += Number(kilobytes) / 1024;
  }
  return memory;
}
