/** `node bin/connectorctl.ts`: the operator's command line. See `--help`. */
import { actions } from './ctl/actions.ts';
import { commandLine } from './ctl/command-line.ts';
import { RefusedError } from './ctl/errors.ts';

try {
  await commandLine(actions).parseAsync();
} catch (error) {
  process.exitCode = error instanceof RefusedError ? 2 : 1;
  console.error(error instanceof Error ? error.message : String(error));
}
