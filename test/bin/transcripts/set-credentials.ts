import type { CommandPage } from '../cli-reference/command-page.ts';

export const setCredentials: CommandPage = {
  command: 'set-credentials',
  scenes: [
    {
      args: ['set-credentials'],
      environment: ({ connector: { platform } }) => ({
        CLIENT_ID: platform.account.clientId,
        CLIENT_SECRET: platform.account.clientSecret,
      }),
    },
  ],
};
