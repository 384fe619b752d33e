import { availableParallelism } from 'node:os';
import { fileFault } from './file-fault.ts';

export interface UnsoundFile {
  readonly file: string;
  /** What is wrong with it, as the end of a sentence that begins with its name. */
  readonly fault: string;
}

export interface CheckedFiles {
  readonly sound: readonly string[];
  readonly unsound: readonly UnsoundFile[];
}

/**
 * Tells the files that can be read to the last byte from all others, each in its order. DuckDB reads on in a damaged file,
 * gives altered rows for good, and answers nothing at all where one file is not what it expects.
 */
export async function checkFiles(files: readonly string[]): Promise<CheckedFiles> {
  const faults: (string | undefined)[] = [];
  const left = files.entries();
  const worker = async (): Promise<void> => {
    for (const [index, file] of left) faults[index] = await fileFault(file);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return {
    sound: files.filter((_, index) => faults[index] === undefined),
    unsound: files.flatMap((file, index) => {
      const fault = faults[index];
      return fault === undefined ? [] : [{ file, fault }];
    }),
  };
}
