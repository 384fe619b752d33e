/** Which dead letter a run tries again at the moment. */

import type { Ports } from '../../../lambda/core/run.ts';
import type { AssertLeaseValid } from '../../../lambda/ports.ts';
import { type Letter, readDeadLetter } from '../oracle/letter.ts';

/** The letter that was read last, until it is deleted. */
export interface Trying {
  key: string;
  /** Digest of an oversize row: it is in the key. */
  rowHash: string;
  deadLetter: Letter | undefined;
  /** The row, and its id. */
  text: string;
  id: string;
}

/** @returns the world that `change` makes, which sees the letter at hand */
export function whileTrying(change: (ports: Ports, trying: Trying) => Ports): (ports: Ports) => Ports {
  return ports => {
    const trying: Trying = { key: '', rowHash: '', deadLetter: undefined, text: '', id: '' };
    const read = async (key: string) => {
      const body = await ports.deadLetters.read(key);
      if (body !== undefined) note(trying, key, body);
      return body;
    };
    const remove = async (key: string, assertLeaseValid: AssertLeaseValid) => {
      await ports.deadLetters.remove(key, assertLeaseValid);
      trying.deadLetter = undefined;
    };
    return change({ ...ports, deadLetters: { ...ports.deadLetters, read, remove } }, trying);
  };
}

function note(trying: Trying, key: string, body: string): void {
  const rowHash = /([0-9a-f]+)\.json$/.exec(key)?.[1] ?? '';
  const text = body.slice(body.indexOf(',"row":') + ',"row":'.length, body.lastIndexOf('}'));
  Object.assign(trying, { key, rowHash, text, deadLetter: readDeadLetter(body), id: JSON.parse(text).id ?? '' });
}
