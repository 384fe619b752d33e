import type { CommandPage } from '../cli-reference/command-page.ts';

const notOk = (output: string): string =>
  output
    .split('\n')
    .filter(line => !line.startsWith('ok '))
    .join('\n');

export const doctor: CommandPage = {
  command: 'doctor',
  scenes: [
    { args: ['doctor'] },
    {
      says: 'After a deployment without credentials in the secret:',
      before: each =>
        each.connector.aws.secret.put(JSON.stringify({ client_id: 'replace-me', client_secret: 'generated' })),
      args: ['doctor'],
      isShown: true,
      shown: notOk,
    },
    {
      before: ({ stack, connector: { aws, platform } }) => {
        const { clientId: client_id, clientSecret: client_secret } = platform.account;
        aws.secret.put(JSON.stringify({ client_id, client_secret }));
        Object.assign(stack.topics[0]!.subscriptions[0]!, { confirmed: false });
        aws.notifications.clear();
      },
      args: ['doctor'],
    },
    {
      before: each => each.stack.stacks.splice(0),
      args: ['doctor', '--preflight'],
    },
  ],
};
