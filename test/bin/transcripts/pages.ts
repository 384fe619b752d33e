/** The commands of docs/cli.md, in its order. */
import type { CommandPage } from './command-page.ts';
import { cost } from './cost.ts';
import { deadLetters } from './dead-letters.ts';
import { doctor } from './doctor.ts';
import { asset, related, threat } from './inquiries.ts';
import { pause, resume } from './pause.ts';
import { replay } from './replay.ts';
import { resync } from './resync.ts';
import { run } from './run.ts';
import { setCredentials } from './set-credentials.ts';
import { status } from './status.ts';
import { verify } from './verify.ts';

export const PAGES: readonly CommandPage[] = [
  status,
  doctor,
  pause,
  resume,
  run,
  resync,
  replay,
  asset,
  threat,
  related,
  verify,
  deadLetters,
  cost,
  setCredentials,
];
