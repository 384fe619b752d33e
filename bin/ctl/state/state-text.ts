import type { SavedStream } from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { durationText, timeText } from '../report/time-text.ts';
import type { LeaseState } from './read-state.ts';

/** Head of the table of what is saved of each stream. */
export const MEMORY_TITLES = ['stream', 'cursor', 'settled sequence', 'window', 'generation', 'resync', 'in doubt'];

/** Its rows. @param off streams that the function's settings leave out */
export function memoryRows(
  streams: ReadonlyMap<StreamName, SavedStream | Error>,
  off: readonly StreamName[],
): string[][] {
  return [...streams].map(([name, memory]) => [name, ...cells(memory, off.includes(name))]);
}

function cells(memory: SavedStream | Error, isOff: boolean): string[] {
  if (memory instanceof Error) return ['damaged', '', '', '', '', ''];
  const { cursor, committed, window, generation, repairing } = memory.checkpoint;
  if (isOff && cursor === undefined && committed === '') return ['off', '', '', '', '', ''];
  const saved = cursor === undefined ? 'none yet' : 'saved';
  const resync = repairing ? 'in progress' : 'no';
  return [saved, committed || 'none', String(window.length), String(generation), resync, String(unconfirmed(memory))];
}

/** Ids whose events may have reached the SIEM although nothing says so. */
export function unconfirmed({ checkpoint: { committed }, intents }: SavedStream): number {
  const unconfirmed = intents.filter(({ sequence }) => sequence === '' || sequence > committed);
  return new Set(unconfirmed.flatMap(batch => batch.idTags)).size;
}

export function leaseText(lease: LeaseState | undefined, now: number): string {
  if (!lease) return 'never taken; no run has worked with this table yet';
  const { epoch, holder, held, expires, ended } = lease;
  if (held) return `held by ${holder}, epoch ${epoch}, for ${durationText(expires - now)} more unless renewed`;
  if (ended === 'no') return `free, epoch ${epoch}; its run was killed, and the lease expired ${timeText(expires)}`;
  return `free, epoch ${epoch}; the last run ended ${ended}`;
}
