import type { CommandPage } from '../cli-reference/command-page.ts';

export const setCredentials: CommandPage = {
  command: 'set-credentials',
  purpose: `Stores the client credentials, after the first deployment and after a rotation. It reads \`CLIENT_ID\` and \`CLIENT_SECRET\`, or asks for both
without showing them. They are never arguments, because the process list would show them. Nothing is restarted.`,
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
