import type { CommandPage } from './command-page.ts';

const notOk = (output: string): string =>
  output
    .split('\n')
    .filter(line => !line.startsWith('ok '))
    .join('\n');

export const doctor: CommandPage = {
  command: 'doctor',
  purpose: `Checks a deployment from end to end, in the order in which things depend on one another, and says what to do. It talks to the API with
the function's own code and settings, and reads one row of each list; it saves nothing and shows nothing of a row, a secret or a token. A check
that needs one which failed is skipped, so that a fault is told once, where it is. It exits with 3 when a check failed.

It looks at what a deployment cannot know, too: whether anybody has confirmed a subscription to the alarms, whether a bucket that you brought
announces its objects on the SIEM's queue, whether Lambda can start the function, and whether somebody has changed the schedule or its role by hand.
What somebody changed or deleted comes back by \`npx cdk deploy --revert-drift\`: a plain deployment of the same template restores nothing, for
CloudFormation compares templates. It switches a paused schedule and muted alarms on again, too. (By the documents of AWS; not tried here.)

Not seen from here: whether the network of the function reaches what this machine reaches, what the policy of the schedule's role allows, and conditions
in the reader's policy. \`--before\` reads the \`cdk.json\` of the folder that one stands in, or the nearest above it.`,
  scenes: [
    { args: ['doctor'] },
    {
      says: 'After a deployment whose secret nobody has filled in:',
      before: each =>
        each.connector.aws.secret.put(JSON.stringify({ client_id: 'replace-me', client_secret: 'generated' })),
      args: ['doctor'],
      shown: notOk,
    },
    {
      says: 'When nobody has followed the link in the e-mail of SNS, and somebody has taken the bucket’s notifications away:',
      before: ({ stack, connector: { aws, platform } }) => {
        const { clientId: client_id, clientSecret: client_secret } = platform.account;
        aws.secret.put(JSON.stringify({ client_id, client_secret }));
        Object.assign(stack.topics[0]!.subscriptions[0]!, { confirmed: false });
        aws.notifications.clear();
      },
      args: ['doctor'],
      shown: notOk,
    },
    {
      says: 'Before the first deployment:',
      before: each => each.stack.stacks.splice(0),
      args: ['doctor', '--preflight'],
    },
  ],
};
