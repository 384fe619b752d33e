/** Which dead letter a run tries again at the moment. */
import type { World } from '../../../lambda/core/run.ts';
import type { Guard } from '../../../lambda/ports.ts';
import { type Letter, readLetter } from '../oracle/letter.ts';

/** The letter that was read last, until it is deleted. */
export interface Trying {
  key: string;
  /** Digest of an oversize row: it is in the key. */
  digest: string;
  letter: Letter | undefined;
  /** The row, and its id. */
  text: string;
  id: string;
}

/** @returns the world that `change` makes, which sees the letter at hand */
export function whileTrying(change: (world: World, trying: Trying) => World): (world: World) => World {
  return world => {
    const trying: Trying = { key: '', digest: '', letter: undefined, text: '', id: '' };
    const read = async (key: string) => {
      const body = await world.deadLetters.read(key);
      if (body !== undefined) note(trying, key, body);
      return body;
    };
    const remove = async (key: string, guard: Guard) => {
      await world.deadLetters.remove(key, guard);
      trying.letter = undefined;
    };
    return change({ ...world, deadLetters: { ...world.deadLetters, read, remove } }, trying);
  };
}

function note(trying: Trying, key: string, body: string): void {
  const digest = /([0-9a-f]+)\.json$/.exec(key)?.[1] ?? '';
  const text = body.slice(body.indexOf(',"row":') + ',"row":'.length, body.lastIndexOf('}'));
  Object.assign(trying, { key, digest, text, letter: readLetter(body), id: JSON.parse(text).id ?? '' });
}
