import type { CommandPage } from './command-page.ts';

export const doctor: CommandPage = {
  command: 'doctor',
  purpose: `Checks a deployment from end to end, in the order in which things depend on one another, and says what to do. It talks to the API with
the function's own code and settings, and reads one row of each list; it saves nothing and shows nothing of a row, a secret or a token. A check
that needs one which failed is skipped, so that a fault is told once, where it is. It exits with 3 when a check failed.

Not seen from here: whether anybody has confirmed the subscription of the alarms' topic, whether the network of the function reaches what this
machine reaches, and conditions in the reader's policy. \`--before\` reads the \`cdk.json\` of the folder that one stands in.`,
  scenes: [
    { args: ['doctor'] },
    {
      says: 'After a deployment whose secret nobody has filled in:',
      before: each =>
        each.connector.aws.secret.put(JSON.stringify({ client_id: 'replace-me', client_secret: 'generated' })),
      args: ['doctor'],
      shown: output =>
        output
          .split('\n')
          .filter(line => !line.startsWith('ok '))
          .join('\n'),
    },
    {
      says: 'Before the first deployment:',
      before: each => each.stack.stacks.splice(0),
      args: ['doctor', '--before'],
    },
  ],
};
