import { Command } from 'commander';
import { STREAMS } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import type { FunctionEnvironment } from '../deployment/function-environment.ts';
import { readState } from '../state/read-state.ts';
import { isDamaged, stateText } from '../state/state-text.ts';

export function statusCommand(run: Run): Command {
  return new Command('status')
    .description('show where each stream stands, and who holds the lease; changes nothing')
    .addHelpText('after', examples('status', 'status --stack acme --json'))
    .action(
      run(async context => {
        const { table } = await context.deployment();
        const now = context.clock.now();
        const state = await readState(context.aws, table, now);
        const text = stateText(state, now, streamsOff(await context.environment()));
        return { text, json: { lease: state.lease ?? null }, status: isDamaged(state) ? 3 : 0 };
      }),
    );
}

/** The streams without a path of their own that the settings give none. */
function streamsOff(environment: FunctionEnvironment) {
  if (environment['DNS_BLOCKS_PATH']) return [];
  return STREAMS.filter(stream => !('path' in stream)).map(stream => stream.name);
}
