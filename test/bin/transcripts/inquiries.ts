import { START } from '../../lambda/support/stepped-clock.ts';
import type { Deployment } from '../support/deployment.ts';
import type { CommandPage } from './command-page.ts';

/** The function's clock and that of the endpoints agree, so that an event is found where it lies. */
const choices = { aws: { now: () => START } };

async function sent(each: Deployment): Promise<void> {
  const { platform } = each.connector;
  platform.putAsset({ id: 'asset-7f3a', hostname: 'web-01', parent: 'shop' });
  platform.putThreat({ id: 'threat-19', asset_id: 'asset-7f3a', title: 'Outdated TLS' });
  await each.run();
}

export const asset: CommandPage = {
  command: 'asset',
  purpose: `Does the SIEM have the truth about one asset? The API's answer now, beside what the connector last sent and when. The comparison is the
connector's own: blind to the order of members and to \`stream_position\`, not to a digit.

| Verdict | Meaning | Exit status |
| --- | --- | --- |
| \`same\` | The SIEM was sent what the API answers | 0 |
| \`removed\` | The SIEM was told that it is gone, and the API has it no more | 0 |
| \`differs\` | The SIEM was sent other content, or was told that it is gone. A change of the last minutes may be on its way | 3 |
| \`sent and gone from the API\` | The API refuses the id, and the SIEM was not told yet | 3 |
| \`never sent\` | The connector has never sent it, whether the API knows it or not | 3 |
| \`too large\` | The SIEM was sent a notice alone; the row is too large for an event and lies as a dead letter | 3 |
| \`awaits a replay\` | It was sent before the last replay was ordered, and not since | 3 |
| \`in doubt\` | A run that was killed may have sent something else of it without noting so | 3 |
| \`not known\` | What the connector noted of it, or the API's answer, cannot be read | 3 |

What the API answers for an unknown id is not specified, so its status and type are shown and nothing is made of them.

The event is looked up in the bucket, in the objects of the hours from when it was made, 500 of them and 256 MiB at most; where the delivery stream delivers
elsewhere, or the bucket is closed to you, that is said and the rest is told all the same. Where both rows are known, the members that differ are named,
and the event found counts for more than the note. A single read
may carry other members than a row of the list, which is what the connector sends. Rows and values are your data: \`--show\` prints them. It needs the
right to read the connector's secret.`,
  choices,
  scenes: [
    { before: sent, args: ['asset', 'asset-7f3a'] },
    {
      says: 'When it has changed since:',
      before: each => each.connector.platform.putAsset({ id: 'asset-7f3a', hostname: 'web-02', parent: 'shop' }),
      args: ['asset', 'asset-7f3a'],
    },
    { says: 'An id that nobody knows:', args: ['asset', 'asset-0000'] },
  ],
};

export const threat: CommandPage = {
  command: 'threat',
  purpose:
    'The same of a threat. One that left the API with its removed asset is `removed` once it has been withdrawn, also where a single read still gives it: the asset is asked for too.',
  choices,
  scenes: [
    {
      async before(each) {
        await sent(each);
        each.connector.platform.removeAsset('asset-7f3a');
        await each.run();
      },
      args: ['threat', 'threat-19'],
    },
  ],
};

export const related: CommandPage = {
  command: 'related',
  purpose: `The neighbours of an asset by the API now, and whether each was sent. The shape of the API's answer is not specified: every object in it
that has an \`id\` counts. It exits with 3 when a neighbour was never sent or counts as gone.`,
  choices,
  scenes: [{ before: sent, args: ['related', 'asset-7f3a'] }],
};
