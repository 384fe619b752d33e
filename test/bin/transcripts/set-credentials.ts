import type { CommandPage } from '../cli-reference/command-page.ts';

export const setCredentials: CommandPage = {
  command: 'set-credentials',
  purpose: `Stores the client credentials, after the first deployment and after a rotation. Nothing is restarted. They come from \`CLIENT_ID\` and
\`CLIENT_SECRET\`, from JSON on stdin, or from a prompt that does not show the secret. They are never arguments, because the process list would show them.

The command asks for a token and reads one row of each stream, with its saved cursor, before it stores them. If that fails, the secret is unchanged and
the exit status is 2. \`--yes\` stores them all the same. A saved cursor that is refused means credentials of
[another organization](runbook.md#another-organization).`,
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
