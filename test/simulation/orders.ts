/** An operator's order as the function is given it. */

import { parseCommand } from '../../lambda/command.ts';
import type { Commands } from '../../lambda/core/run-streams.ts';
import type { StreamName } from '../../lambda/streams.ts';
import type { Command } from './history.ts';
import { CONNECTOR } from './world/settings.ts';

/** Key of a letter that there never was. */
const NO_LETTER = `dead-letter/${CONNECTOR}/threats/oversize/0.json`;

/** @param letters the keys of all letters that there have been @param streams those that are on */
export function commandsOf(
  { resync = [], replay = [], redrive = [] }: Command,
  letters: Iterable<string>,
  streams: readonly StreamName[],
): Commands {
  const keys = [...letters, NO_LETTER];
  return parseCommand({ resync, replay, redrive: redrive.map(place => keys[place % keys.length]) }, streams, CONNECTOR);
}
