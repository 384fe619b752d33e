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
  purpose: `Shows whether the SIEM has the current version of an asset: the API's answer now, and what the connector last sent and when. The comparison is the
connector's own. It ignores the order of members and \`stream_position\`, and compares every digit.

| Result | Meaning | Exit status |
| --- | --- | --- |
| \`same\` | The SIEM was sent the row that the API returns | 0 |
| \`removed\` | The SIEM was sent the removal, and the API no longer has the row | 0 |
| \`excluded by the filter\` | The [filter](filters.md) excludes the row, and the SIEM does not have it | 0 |
| \`not withdrawn\` | The filter excludes the row, and the SIEM still has it. The next run that reads it withdraws it | 3 |
| \`differs\` | The SIEM was sent other content, or a removal. A change of the last minutes may not be sent yet | 3 |
| \`sent and gone from the API\` | The API refuses the id, and the SIEM was not sent the removal yet | 3 |
| \`never sent\` | The connector has never sent it, whether or not the API has it | 3 |
| \`too large\` | The SIEM was sent an oversize event. The row is too large for an event and is a dead letter | 3 |
| \`awaits a replay\` | It was sent before the last replay, and not since | 3 |
| \`unconfirmed\` | A run that was killed may have sent another version without recording it | 3 |
| \`unknown\` | The row state or the API's answer cannot be read | 3 |

The API's answer to an unknown id is not specified, so its status and type are shown without interpretation.

The event is searched in the bucket, in the objects of the hours after it was sent, up to 500 objects and 256 MiB. If the delivery stream has another
destination, or you have no access to the bucket, the output says so and shows the rest. If both rows are known, the differing members are named, and the
event outweighs the row state. A single read may have other members than a row of the list, which is what the connector sends. Rows and values are your
data. \`--show\` prints them. The command needs permission to read the connector's secret.`,
  choices,
  scenes: [
    { before: sent, args: ['asset', 'asset-7f3a'] },
    {
      says: 'After a change:',
      before: each => each.connector.platform.put('assets', { id: 'asset-7f3a', hostname: 'web-02', parent: 'shop' }),
      args: ['asset', 'asset-7f3a'],
    },
    { says: 'An unknown id:', args: ['asset', 'asset-0000'] },
  ],
};

export const threat: CommandPage = {
  command: 'threat',
  purpose: `The same for a threat. A threat of a removed asset is \`removed\` once it is withdrawn, even if a single read returns it: the asset is read too.`,
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
  purpose: `Lists the neighbours of an asset at the API, and whether each was sent. The shape of the API's answer is not specified: every object in it with an \`id\`
counts. The exit status is 3 if a neighbour was never sent or was removed.`,
  choices,
  scenes: [{ before: sent, args: ['related', 'asset-7f3a'] }],
};

/** The commands that streams added later have. */
export const others: readonly CommandPage[] = OTHER_STREAMS.filter(({ hasRowStates }) => hasRowStates).map(
  ({ name, singular }): CommandPage => ({
    command: singular,
    purpose: `The same for a ${singular}.`,
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
