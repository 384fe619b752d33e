import type { CommandPage } from '../cli-reference/command-page.ts';

export const status: CommandPage = {
  command: 'status',
  scenes: [
    { before: each => each.run({}, 3), args: ['status'], isShown: true },
    {
      async before(each) {
        each.connector.platform.account.roles.delete('threats:read');
        await each.run();
        each.stack.alarms.set('acme/role-missing', 'ALARM');
      },
      args: ['status'],
    },
  ],
};
