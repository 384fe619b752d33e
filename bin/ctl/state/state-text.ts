import type { StreamMemory } from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { tableText } from '../report/table-text.ts';
import type { ConnectorState, LeaseState } from './read-state.ts';

const TITLES = ['stream', 'cursor', 'settled sequence', 'window', 'generation', 'resync', 'in doubt'];

/** What `status` prints. @param off streams that the function's settings leave out */
export function stateText(
  { lease, streams, withdrawals }: ConnectorState,
  now: number,
  off: readonly StreamName[],
): string {
  const rows = [...streams].map(([name, memory]) => [name, ...cells(memory, off.includes(name))]);
  const listed = [...withdrawals].map(
    ([name, count]) => `Removed ${name} whose threats are still to be withdrawn: ${count}`,
  );
  const damage = [...streams.values()].flatMap(memory => (memory instanceof Error ? [memory.message] : []));
  return [tableText(TITLES, rows), '', leaseText(lease, now), ...listed, ...damage].join('\n');
}

export function isDamaged({ streams }: ConnectorState): boolean {
  return [...streams.values()].some(memory => memory instanceof Error);
}

function cells(memory: StreamMemory | Error, isOff: boolean): string[] {
  if (memory instanceof Error) return ['damaged', '', '', '', '', ''];
  const { cursor, settled, window, generation, mending } = memory.checkpoint;
  if (isOff && cursor === undefined && settled === '') return ['off', '', '', '', '', ''];
  const saved = cursor === undefined ? 'none yet' : 'saved';
  const doubtful = memory.inFlight.filter(({ sequence }) => sequence === '' || sequence > settled);
  const tags = new Set(doubtful.flatMap(batch => batch.tags));
  const resync = mending ? 'under way' : 'no';
  return [saved, settled || 'none', String(window.length), String(generation), resync, String(tags.size)];
}

function leaseText(lease: LeaseState | undefined, now: number): string {
  if (!lease) return 'Lease: never taken; no run has worked with this table yet';
  const { epoch, held, expires, ended } = lease;
  const at = new Date(expires).toISOString();
  const seconds = Math.round((expires - now) / 1000);
  if (held) return `Lease: held, epoch ${epoch}, expires ${at} (in ${seconds} s unless renewed)`;
  if (ended === 'no') return `Lease: free, epoch ${epoch}; its run was killed, and the lease expired ${at}`;
  return `Lease: free, epoch ${epoch}; the last run ended ${ended}`;
}
