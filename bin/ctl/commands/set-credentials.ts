import { Command } from 'commander';
import { examples, type Run } from '../command.ts';
import { settingOf } from '../deployment/function-environment.ts';
import { readCredentials } from '../secret/read-credentials.ts';
import { setCredentials } from '../secret/set-credentials.ts';

export function setCredentialsCommand(run: Run): Command {
  return new Command('set-credentials')
    .description(
      'put the client credentials in place: CLIENT_ID and CLIENT_SECRET, or a hidden prompt; never an argument',
    )
    .addHelpText('after', examples('set-credentials', 'set-credentials --stack acme'))
    .action(
      run(async context => {
        const secretId = settingOf(await context.environment(), 'CREDENTIALS_SECRET_ID');
        await setCredentials(context.aws, secretId, await readCredentials(process.env));
        const text = `The secret ${secretId} is filled. The next run uses it; "npm run connectorctl -- run" starts one now.`;
        return { text, json: { secret: secretId, filled: true } };
      }),
    );
}
