import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { Command } from 'commander';
import { CONNECTORCTL } from '../../../lib/installation.ts';
import { askHidden, PromptAbortedError } from '../../terminal/client-secret.ts';
import type { Aws } from '../aws.ts';
import { examples, type Run } from '../command.ts';
import { settingOf } from '../deployment.ts';
import { AwsCallError, RefusedError } from '../errors.ts';

export function setCredentialsCommand(run: Run): Command {
  return new Command('set-credentials')
    .description('store the client credentials from CLIENT_ID and CLIENT_SECRET, or from a hidden prompt')
    .addHelpText('after', examples('set-credentials', 'set-credentials --stack acme'))
    .action(
      run(async context => {
        const secretId = settingOf(await context.environment(), 'CREDENTIALS_SECRET_ID');
        await setCredentials(context.aws, secretId, await readCredentials(process.env));
        const text = `The secret ${secretId} has the credentials. The next run uses them. "${CONNECTORCTL.command} run" starts one now.`;
        return { text, json: { secret: secretId, updated: true } };
      }),
    );
}

/** Never arguments: the process list would show them. */
const QUESTIONS = { CLIENT_ID: 'Client id (not shown): ', CLIENT_SECRET: 'Client secret (not shown): ' } as const;

type Variable = keyof typeof QUESTIONS;

/** @returns the text of the secret @throws RefusedError without a value and a terminal */
async function readCredentials(environment: NodeJS.ProcessEnv): Promise<string> {
  const variables = Object.keys(QUESTIONS) as Variable[];
  const missing = variables.filter(variable => !environment[variable]);
  if (missing.length > 0 && !(process.stdin.isTTY && process.stderr.isTTY)) {
    throw new RefusedError(`Set ${missing.join(' and ')}, or run this in a terminal. The secret is unchanged.`);
  }
  const client_id = await ask('CLIENT_ID', environment);
  const client_secret = await ask('CLIENT_SECRET', environment);
  return JSON.stringify({ client_id, client_secret });
}

async function ask(variable: Variable, environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    return environment[variable] || (await askHidden(QUESTIONS[variable]));
  } catch (error) {
    if (!(error instanceof PromptAbortedError)) throw error;
    throw new RefusedError('No credentials were given. The secret is unchanged.', { cause: error });
  }
}

/** @throws AwsCallError */
async function setCredentials(aws: Aws, secretId: string, text: string): Promise<void> {
  const command = new PutSecretValueCommand({ SecretId: secretId, SecretString: text });
  try {
    await aws.secrets().send(command);
  } catch (error) {
    const advice =
      'The secret is unchanged, unless the connection broke. You need secretsmanager:PutSecretValue on it.';
    throw new AwsCallError(`The secret ${secretId} could not be written`, advice, error);
  }
}
