import type { Inquiry } from './inquire.ts';
import { isTrue } from './verdict.ts';

/** Rows and values are JSON texts, so that no digit is lost. @param show with them */
export function inquiryJson(inquiry: Inquiry, show: boolean): object {
  const { stream, id, verdict, answer, stored, found, differing } = inquiry;
  const event = found && 'event' in found ? found : undefined;
  return {
    stream,
    id,
    verdict,
    siemHasTheTruth: isTrue(verdict),
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

function rowJson(row: Extract<Inquiry['answer'], { kind: 'row' }>['row'], show: boolean): object {
  const { deleted, digest, time, owner, text } = row;
  return { kind: 'row', deleted, digest, time: time ?? null, owner: owner ?? null, ...(show && { row: text }) };
}
