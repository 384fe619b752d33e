import type { CommandPage } from './command-page.ts';

export const setCredentials: CommandPage = {
  command: 'set-credentials',
  purpose: `Puts the client credentials in place, after the first deployment and after a rotation. It asks for both without showing them, or takes them from
\`CLIENT_ID\` and \`CLIENT_SECRET\`; never as an argument, which the process list would show. Nothing is restarted.`,
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
