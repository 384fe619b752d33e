/** Checks what a history left behind against the promise. Every sentence returned is a breach. */

import { sequencesUsedTwice, unlikeTruth } from '../../support/promise.ts';
import { copyOf, greatestSequence, keyOf, type ReceivedEvent, type Rule } from '../../support/siem.ts';
import { BAD_ROW } from '../simulated/network.ts';
import type { Observation } from './observation.ts';

export function breachesOf(observation: Observation, rule: Rule = greatestSequence): string[] {
  return [
    ...observation.violations,
    ...unlike(observation, rule, 'the copy by the greatest sequence'),
    ...unlikeTruthToFirstKeepers(observation, rule),
    ...repeats(observation),
    ...sequencesUsedTwice(observation.events),
    ...needless(observation),
    ...unseenTombstones(observation),
    ...withdrawnUnderLiveAssets(observation),
    ...lostDeadLetters(observation),
  ];
}

/** Promise 4, and 5 with it: the copy equals what the API would answer now, digit for digit. */
function unlike({ events, truth, withheld, lostBefore }: Observation, rule: Rule, which: string): string[] {
  const kept = events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0));
  const copy = copyOf(kept, rule);
  // It was restored, and the filter excludes it: to the SIEM it stays removed, also when it is removed once more.
  for (const key of withheld) if (copy.get(key)?.kind === 'tombstone') copy.delete(key);
  return unlikeTruth(copy, Object.entries(truth)).map(breach => `In ${which}, ${breach}`);
}

/**
 * A SIEM that keeps the first event of each event_id: a row that comes back must not look like one that it knows. Where a
 * page was read again it may have been cut otherwise: an old version then comes for the first time, and the newest again.
 */
function unlikeTruthToFirstKeepers(observation: Observation, rule: Rule): string[] {
  if (observation.replayed || observation.disturbances.length > 0) return [];
  const known = new Set<string>();
  const events = observation.events.filter(({ eventId }) => !known.has(eventId) && known.add(eventId));
  return unlike({ ...observation, events }, rule, 'the copy of a SIEM that drops known event_ids');
}

/** Promise 2: no event repeats except across a kill or an ambiguous answer. */
function repeats(observation: Observation): string[] {
  const last = new Map<string, ReceivedEvent>();
  return observation.events.flatMap(event => {
    const before = last.get(event.eventId);
    last.set(event.eventId, event);
    return before && !isExcused(before, event, observation) ? [`Sent twice without a cause: ${event.line}`] : [];
  });
}

/** Promise 2 again: what the SIEM holds already is not sent to it under another position either. */
function needless(observation: Observation): string[] {
  const held = new Map<string, ReceivedEvent>();
  return observation.events.flatMap(event => {
    const key = keyOf(event.stream, event.id);
    const before = held.get(key);
    held.set(key, event);
    if (event.refresh) return needlessRefresh(before, event, observation);
    const same = before && before.kind === event.kind && saidBy(before) === saidBy(event);
    return same && !isExcused(before, event, observation) ? [`Nothing new: ${event.line}`] : [];
  });
}

/** A refresh repeats exactly what the SIEM holds, once that is old. */
function needlessRefresh(
  before: ReceivedEvent | undefined,
  event: ReceivedEvent,
  { refreshAfter = Number.POSITIVE_INFINITY, disturbances }: Observation,
): string[] {
  const since = before?.at ?? event.at;
  if (disturbances.some(time => time >= since && time <= event.at)) return [];
  const same = before && (before.kind === event.kind || event.kind === 'oversize') && saidBy(before) === saidBy(event);
  if (!same) return [`Refreshed although the SIEM holds something else: ${event.line}`];
  return madeAt(event) - madeAt(before) < refreshAfter ? [`Refreshed too early: ${event.line}`] : [];
}

/** Throttling may hold an event up: the age of a row counts from when its event was made. */
function madeAt({ line }: ReceivedEvent): number {
  const { forwarded_at: made, metadata } = JSON.parse(line);
  return metadata ? metadata.processed_time : Date.parse(made);
}

/** The row, or the dead letter that has it. */
function saidBy(event: ReceivedEvent): string | undefined {
  return event.content ?? deadLetterOf(event);
}

/**
 * Something happened between the two after which a row may come again; or a walk began again over rows that no row state
 * remembers, or over older versions, which differ from what was sent last.
 */
function isExcused(before: ReceivedEvent, event: ReceivedEvent, observation: Observation): boolean {
  const { disturbances, replayed, everyVersion } = observation;
  const isUnremembered = everyVersion || event.stream === 'dns-blocks';
  return (replayed && isUnremembered) || disturbances.some(time => time >= before.at && time <= event.at);
}

/** Consumer rule 2 of the specification: a tombstone of an asset never seen is ignored. */
function unseenTombstones({ events, disturbances }: Observation): string[] {
  if (disturbances.length > 0) return [];
  const known = new Set<string>();
  return events.flatMap(({ stream, id, kind, line }) => {
    const unseen = kind === 'tombstone' && !known.has(keyOf(stream, id));
    known.add(keyOf(stream, id));
    return unseen ? [`The tombstone of an asset that the SIEM never had: ${line}`] : [];
  });
}

/**
 * An asset restored before the walk's end is struck off the list: its threats are still there. A withdrawal that a killed run left half done
 * is completed, also where the asset was removed and restored once more meanwhile.
 */
function withdrawnUnderLiveAssets({ events, disturbances }: Observation): string[] {
  const live = new Set<string>();
  /** By asset when the SIEM was sent that it is removed, each for the first time, because a walk that begins again repeats it. */
  const removed = new Map<string, number[]>();
  const first = new Map<string, number>();
  /** By threat when the SIEM was last sent that it exists. */
  const existed = new Map<string, number>();
  return events.flatMap(({ stream, id, position, kind, line, parent = '', at }) => {
    const version = `${keyOf(stream, id)} ${position}`;
    if (!first.has(version)) first.set(version, at);
    if (stream === 'assets' && kind === 'upsert') live.add(id);
    if (stream === 'threats' && kind !== 'withdrawn') existed.set(id, at);
    // Of an oversize row the notice does not say which of the two it is.
    if (kind === 'tombstone' || kind === 'oversize' || (stream === 'assets' && kind === 'withdrawn')) {
      live.delete(id);
      removed.set(id, [...(removed.get(id) ?? []), first.get(version)!]);
    }
    if (kind !== 'withdrawn' || isFiltered(line) || !live.has(parent)) return [];
    const removals = removed.get(parent) ?? [];
    const since = removals.find(time => time > existed.get(id)!) ?? removals.at(-1) ?? Number.NEGATIVE_INFINITY;
    return disturbances.some(time => time >= since && time <= at)
      ? []
      : [`Withdrawn although its asset is live: ${line}`];
  });
}

/** Withdrawn by the filter, with its asset or without. */
function isFiltered(line: string): boolean {
  return /"reason":"filtered"\}$/.test(line);
}

function lostDeadLetters({ badRow, letters }: Observation): string[] {
  return badRow && !letters.some(deadLetter => deadLetter.includes(BAD_ROW)) ? ['A row without an id is nowhere'] : [];
}

/** Key of the dead letter that an `oversize` event points to. */
function deadLetterOf({ kind, line }: ReceivedEvent): string | undefined {
  return kind === 'oversize' ? /"dead_letter":"s3:\/\/[^/"]+\/([^"]+)"/.exec(line)?.[1] : undefined;
}
