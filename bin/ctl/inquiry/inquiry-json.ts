import type { Lookup } from './inquire.ts';
import { isTrue } from './verdict.ts';

/** Rows and values are JSON texts, so that no digit is lost. @param show with them */
export function lookupJson(lookup: Lookup, show: boolean): object {
  const { stream, id, result, answer, stored, found, differing } = lookup;
  const event = found && 'event' in found ? found : undefined;
  return {
    stream,
    id,
    result,
    siemHasTheTruth: isTrue(result),
    api: answer.kind === 'row' ? rowJson(answer.row, show) : answer,
    lastSent: stored instanceof Error ? { damaged: stored.message } : (stored ?? null),
    event: event
      ? { place: event.place, kind: event.event.kind, ...(show && { row: event.event.row ?? null }) }
      : (found ?? null),
    differing:
      differing?.map(({ name, api, siem }) => (show ? { name, api: api ?? null, siem: siem ?? null } : { name })) ??
      null,
  };
}

function rowJson(row: Extract<Lookup['answer'], { kind: 'row' }>['row'], show: boolean): object {
  const { deleted, rowHash, time, parent, text } = row;
  return { kind: 'row', deleted, rowHash, time: time ?? null, parent: parent ?? null, ...(show && { row: text }) };
}
