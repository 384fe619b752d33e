import { EXAMPLE_ROWS, exampleId, OTHER_STREAMS } from '../../docs/example-rows.ts';
import { START } from '../../lambda/support/stepped-clock.ts';
import type { CommandPage } from '../cli-reference/command-page.ts';
import type { Deployment } from '../support/deployment.ts';

/** One clock for the function and the endpoints, so that the event is found. */
const choices = { aws: { now: () => START } };

async function sent(each: Deployment): Promise<void> {
  const { platform } = each.connector;
  platform.put('assets', { id: 'asset-7f3a', hostname: 'web-01', parent: 'shop' });
  platform.put('threats', { id: 'threat-19', asset_id: 'asset-7f3a', title: 'Outdated TLS' });
  await each.run();
}

export const asset: CommandPage = {
  command: 'asset',
  choices,
  scenes: [
    { before: sent, args: ['asset', 'asset-7f3a'] },
    {
      says: 'After a change:',
      before: each => each.connector.platform.put('assets', { id: 'asset-7f3a', hostname: 'web-02', parent: 'shop' }),
      args: ['asset', 'asset-7f3a'],
      isShown: true,
    },
    { args: ['asset', 'asset-0000'] },
  ],
};

export const threat: CommandPage = {
  command: 'threat',
  choices,
  scenes: [
    {
      async before(each) {
        await sent(each);
        each.connector.platform.remove('assets', 'asset-7f3a');
        await each.run();
      },
      args: ['threat', 'threat-19'],
    },
  ],
};

export const related: CommandPage = {
  command: 'related',
  choices,
  scenes: [{ before: sent, args: ['related', 'asset-7f3a'] }],
};

/** The commands that streams added later have. */
export const others: readonly CommandPage[] = OTHER_STREAMS.filter(({ hasRowStates }) => hasRowStates).map(
  ({ name, singular }): CommandPage => ({
    command: singular,
    choices,
    scenes: [
      {
        async before(each) {
          each.connector.platform.put(name, EXAMPLE_ROWS[name]);
          await each.run();
        },
        args: [singular, exampleId(name)],
      },
    ],
  }),
);
