import { DeliveredDataError, parseEvent } from './delivered.ts';

/** The stream of a delivered line, in whichever format. @throws DeliveredDataError */
export function deliveredStream(line: string, place: string): string {
  if (!line.startsWith('{"class_uid":')) return parseEvent(line, place).stream;
  try {
    return JSON.parse(line).metadata.log_name;
  } catch {
    // The parser's own message quotes the text, which must not get into a message.
    throw new DeliveredDataError(`${place}: the line is not one OCSF event.`);
  }
}
