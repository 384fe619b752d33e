import type { StreamMemory } from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { durationText, timeText } from '../report/time-text.ts';
import type { LeaseState } from './read-state.ts';

/** Head of the table of what is saved of each stream. */
export const MEMORY_TITLES = ['stream', 'cursor', 'settled sequence', 'window', 'generation', 'resync', 'in doubt'];

/** Its rows. @param off streams that the function's settings leave out */
export function memoryRows(
  streams: ReadonlyMap<StreamName, StreamMemory | Error>,
  off: readonly StreamName[],
): string[][] {
  return [...streams].map(([name, memory]) => [name, ...cells(memory, off.includes(name))]);
}

function cells(memory: StreamMemory | Error, isOff: boolean): string[] {
  if (memory instanceof Error) return ['damaged', '', '', '', '', ''];
  const { cursor, settled, window, generation, mending } = memory.checkpoint;
  if (isOff && cursor === undefined && settled === '') return ['off', '', '', '', '', ''];
  const saved = cursor === undefined ? 'none yet' : 'saved';
  const resync = mending ? 'under way' : 'no';
  return [saved, settled || 'none', String(window.length), String(generation), resync, String(inDoubt(memory))];
}

/** Ids whose events may have reached the SIEM although nothing says so. */
export function inDoubt({ checkpoint: { settled }, inFlight }: StreamMemory): number {
  const doubtful = inFlight.filter(({ sequence }) => sequence === '' || sequence > settled);
  return new Set(doubtful.flatMap(batch => batch.tags)).size;
}

export function leaseText(lease: LeaseState | undefined, now: number): string {
  if (!lease) return 'never taken; no run has worked with this table yet';
  const { epoch, holder, held, expires, ended } = lease;
  if (held) return `held by ${holder}, epoch ${epoch}, for ${durationText(expires - now)} more unless renewed`;
  if (ended === 'no') return `free, epoch ${epoch}; its run was killed, and the lease expired ${timeText(expires)}`;
  return `free, epoch ${epoch}; the last run ended ${ended}`;
}
