import type { CommandPage } from '../cli-reference/command-page.ts';

const notOk = (output: string): string =>
  output
    .split('\n')
    .filter(line => !line.startsWith('ok '))
    .join('\n');

export const doctor: CommandPage = {
  command: 'doctor',
  purpose: `Checks a deployment from end to end, in the order of dependencies, and says what to do. It calls the API with the function's code and settings and reads
one row of each list. It saves nothing and shows no row, secret or token. A check that needs a failed check is skipped, so that a fault is reported
once. The exit status is 3 if a check failed.

It also checks what a deployment cannot know: whether a subscription to the alarms is confirmed, whether an existing bucket (\`bucketArn\`) notifies the
SIEM's queue, whether Lambda can start the function, and whether somebody changed the schedule or its role by hand.
\`npx cdk deploy --revert-drift\` restores what somebody changed or deleted. A plain deployment of the same template restores nothing, because
CloudFormation compares templates. It also switches on a paused schedule and muted alarms. (According to the AWS documentation. Not tried here.)

Not checked: whether the network of the function reaches what this machine reaches, what the policy of the schedule's role allows, and conditions
in the reader's policy. \`--preflight\` reads the nearest \`cdk.json\` in the current folder or above.`,
  scenes: [
    { args: ['doctor'] },
    {
      says: 'After a deployment without credentials in the secret:',
      before: each =>
        each.connector.aws.secret.put(JSON.stringify({ client_id: 'replace-me', client_secret: 'generated' })),
      args: ['doctor'],
      shown: notOk,
    },
    {
      says: 'With an unconfirmed subscription and without notifications of the bucket:',
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
