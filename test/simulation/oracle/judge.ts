/** Holds what a history left behind against the promise. Every sentence that comes back is a breach. */

import { ocsfFaults } from '../../ocsf/validate.ts';
import { BAD_ROW } from '../world/network.ts';
import { letterOf } from './letter.ts';
import { content } from './lossless.ts';
import type { Observation } from './observation.ts';
import { copyOf, greatestSequence, keyOf, type ReceivedEvent, type Rule } from './siem.ts';
import { isOcsf } from './siem-ocsf.ts';

export function breachesOf(observation: Observation, rule: Rule = greatestSequence): string[] {
  return [
    ...observation.violations,
    ...unlikeTruth(observation, rule, 'the copy by the greatest sequence'),
    ...unlikeTruthToFirstKeepers(observation, rule),
    ...repeats(observation),
    ...sequencesUsedTwice(observation),
    ...needless(observation),
    ...unseenTombstones(observation),
    ...withdrawnUnderLiveAssets(observation),
    ...lostDeadLetters(observation),
    ...invalid(observation),
  ];
}

/** Promise 4, and 5 with it: the copy equals what the API would answer now, digit for digit. */
function unlikeTruth({ events, truth, lostBefore }: Observation, rule: Rule, which: string): string[] {
  const kept = events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0));
  const copy = copyOf(kept, rule);
  const faults: string[] = [];
  const live = new Set<string>();
  for (const [stream, rows] of Object.entries(truth)) {
    for (const [id, row] of rows) {
      const key = keyOf(stream, id);
      live.add(key);
      const held = copy.get(key);
      // The tombstone of an asset that the SIEM never had is not for it.
      if (!held && JSON.parse(row).deleted) continue;
      if (held?.content !== content(row))
        faults.push(`In ${which}, ${key} is ${held?.line ?? 'missing'} and should be ${row}`);
    }
  }
  for (const [key, held] of copy) {
    if (!live.has(key) && held.kind !== 'withdrawn') faults.push(`In ${which}, ${key} is a ghost: ${held.line}`);
  }
  return faults;
}

/**
 * A SIEM that keeps the first event of each event_id: a row that comes back must not look like one that it knows. Where a
 * page was read again it may have been cut otherwise: an old version then comes for the first time, and the newest again.
 */
function unlikeTruthToFirstKeepers(observation: Observation, rule: Rule): string[] {
  if (observation.replayed || observation.disturbances.length > 0) return [];
  const known = new Set<string>();
  const events = observation.events.filter(({ eventId }) => !known.has(eventId) && known.add(eventId));
  return unlikeTruth({ ...observation, events }, rule, 'the copy of a SIEM that drops known event_ids');
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

function sequencesUsedTwice({ events }: Observation): string[] {
  const lines = new Map<string, string>();
  return events.flatMap(({ sequence, line }) => {
    const before = lines.get(sequence);
    lines.set(sequence, line);
    return before === undefined || before === line ? [] : [`Sequence ${sequence} twice: ${before} and ${line}`];
  });
}

/** Promise 2 again: what the SIEM holds already is not sent to it under another position either. */
function needless(observation: Observation): string[] {
  const held = new Map<string, ReceivedEvent>();
  return observation.events.flatMap(event => {
    const key = keyOf(event.stream, event.id);
    const before = held.get(key);
    held.set(key, event);
    const same = before && before.kind === event.kind && saidBy(before) === saidBy(event);
    return same && !isExcused(before, event, observation) ? [`Nothing new: ${event.line}`] : [];
  });
}

/** The row, or the letter that has it. */
function saidBy(event: ReceivedEvent): string | undefined {
  return event.content ?? letterOf(event);
}

/**
 * Something happened between the two after which a row may come again; or a walk began anew over rows that no row state
 * remembers, or over older versions, which differ from what was sent last.
 */
function isExcused(before: ReceivedEvent, event: ReceivedEvent, observation: Observation): boolean {
  if (isTriedUnknowing(before, event)) return true;
  const { disturbances, replayed, everyVersion } = observation;
  const isUnremembered = everyVersion || event.stream === 'dns-blocks';
  return (replayed && isUnremembered) || disturbances.some(time => time >= before.at && time <= event.at);
}

/**
 * A letter whose row was sent already, by the walk of code that could or from another letter: of a block that left the window nothing is remembered, and
 * the state of an oversize row does not tell whether the row or its notice was sent.
 */
function isTriedUnknowing(before: ReceivedEvent, { stream, deadLetter }: ReceivedEvent): boolean {
  const tellsLittle = stream === 'dns-blocks' || deadLetter?.includes('/oversize/');
  return deadLetter !== undefined && before.deadLetter !== deadLetter && tellsLittle === true;
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

/** An asset restored before the walk's end is struck off the list: its threats have not vanished. */
function withdrawnUnderLiveAssets({ events, disturbances }: Observation): string[] {
  if (disturbances.length > 0) return [];
  const live = new Set<string>();
  return events.flatMap(({ stream, id, kind, line, parent = '' }) => {
    if (stream === 'assets' && kind === 'upsert') live.add(id);
    // Of an oversize row the notice does not say which of the two it is.
    if (kind === 'tombstone' || kind === 'oversize') live.delete(id);
    const wrong = kind === 'withdrawn' && live.has(parent);
    return wrong ? [`Withdrawn although its asset is live: ${line}`] : [];
  });
}

/** Whatever the row, an event in OCSF is one that OCSF's own schema takes. */
function invalid({ events }: Observation): string[] {
  const lines = events.map(({ line }) => line).filter(isOcsf);
  return lines.flatMap(line => ocsfFaults(line).map(fault => `Not OCSF: ${fault}: ${line}`));
}

function lostDeadLetters({ badRow, letters }: Observation): string[] {
  return badRow && !letters.some(deadLetter => deadLetter.includes(BAD_ROW)) ? ['A row without an id is nowhere'] : [];
}
