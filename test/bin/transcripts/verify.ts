import { createRowStates } from '../../../lambda/store/rows.ts';
import { sha256 } from '../../../lambda/system.ts';
import { rowState } from '../../lambda/core/support/memory-table.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import type { CommandPage } from '../cli-reference/command-page.ts';

export const verify: CommandPage = {
  command: 'verify',
  scenes: [
    { before: each => each.run(), args: ['verify'] },
    {
      before: each => each.connector.platform.put('assets', { id: 'asset-7f3a' }),
      args: ['verify', 'assets', '--wait', '0'],
    },
    {
      says: 'With a row that the SIEM has and the API has not:',
      before: each =>
        createRowStates(each.connector.table, sha256).put(
          'assets',
          new Map([['asset-0b1d', rowState({ rowHash: 'a'.repeat(32) })]]),
          pass,
        ),
      args: ['verify', 'assets', '--repair', '--wait', '0'],
      isShown: true,
    },
    {
      before: async each => {
        each.connector.platform.put('assets', { id: 'asset-9c2e' });
        await each.ctl(['pause']);
      },
      args: ['verify', 'assets'],
    },
  ],
};
