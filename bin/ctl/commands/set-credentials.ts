import { text } from 'node:stream/consumers';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { Command } from 'commander';
import { CursorRefusedError } from '../../../lambda/core/errors.ts';
import type { ClientCredentials } from '../../../lambda/source/credentials.ts';
import { CONNECTORCTL } from '../../../lib/installation.ts';
import { askHidden, PromptAbortedError } from '../../terminal/client-secret.ts';
import { openAccess } from '../access.ts';
import { helpText, type RunAction } from '../command.ts';
import { askLine, requireConfirmation } from '../confirm.ts';
import type { Context } from '../context.ts';
import { AwsCallError, awsCall, isAbortError, printedMessage, RefusedError } from '../errors.ts';
import { parseJsonObject, withMembers } from '../json-object.ts';
import { type CommandOutcome, isInteractive, type Shell } from '../report.ts';

export function setCredentialsCommand(run: RunAction): Command {
  return new Command('set-credentials')
    .description('try new client credentials with the API, then store them')
    .option(
      '--yes',
      'store them even if they do not work, belong to another organization, or replace other content of the secret',
    )
    .addHelpText('after', helpText(SOURCES, 'set-credentials', 'set-credentials --connector acme'))
    .action(run(setCredentials));
}

const FORM = '{"client_id": "…", "client_secret": "…"}';
const SOURCES = `The credentials come from CLIENT_ID and CLIENT_SECRET, from ${FORM} on stdin, or from a prompt.
The credentials are never arguments, because the process list would show them. Before they are stored, the command asks for a token
and reads one row of each stream, with its saved cursor. Other members of the secret stay as they are. A secret that is not a
JSON object is replaced only after you confirm it.
Exit status 2: the credentials do not work, or you did not confirm. The secret is unchanged.`;

/** @throws RefusedError, AwsCallError, InterruptedError */
async function setCredentials(context: Context, { yes }: { readonly yes?: true }): Promise<CommandOutcome> {
  const { aws, report } = context;
  const { connector, account } = await context.deployment();
  const { CREDENTIALS_SECRET_ID: secretId = '' } = await context.environment();
  if (secretId === '') throw new RefusedError(NO_SECRET);
  const region = await aws.secrets().config.region();
  report.say(`Credentials of connector ${connector} in account ${account}, region ${region}.`);

  const credentials = await readCredentials(context);
  const { clientId, clientSecret } = credentials;
  report.say(`Trying the client ${clientId}.`);
  const problem = await problemOf(context, credentials);
  if (problem !== undefined && !yes) {
    throw new RefusedError(`${problem}\nThe secret is unchanged. --yes stores the credentials all the same.`);
  }
  if (problem !== undefined) report.say(problem);

  const stored = await storedText(context, secretId);
  const members = parseJsonObject(stored);
  if (!members) await requireConfirmation(context, replaceText(secretId), { yes });
  const SecretString = withMembers(members ? stored : '{}', { client_id: clientId, client_secret: clientSecret });
  await awsCall(
    aws.secrets().send(new PutSecretValueCommand({ SecretId: secretId, SecretString })),
    `The secret ${secretId} could not be written`,
    'The secret is unchanged, unless the connection broke.',
  );

  const isKept = Object.keys(members ?? {}).some(name => name !== 'client_id' && name !== 'client_secret');
  const text = [
    `The secret ${secretId} has the credentials of the client ${clientId}.`,
    ...(isKept ? ['Its other members are unchanged.'] : []),
    ...(problem === undefined ? ['The API accepts them.'] : []),
    `The next run uses them. "${CONNECTORCTL.command} run" starts one now.`,
  ];
  const json = { secret: secretId, clientId, accepted: problem === undefined };
  return { text: text.join(' '), json: { ...json, otherContentReplaced: members === undefined, updated: true } };
}

const NO_SECRET = `The function of the stack has no setting CREDENTIALS_SECRET_ID. Nothing was done. "${CONNECTORCTL.command} doctor" lists the missing settings.`;

function replaceText(secretId: string): string {
  return (
    `The secret ${secretId} is not a JSON object, so the credentials replace its whole content. ` +
    'Secrets Manager keeps that content as the version AWSPREVIOUS.'
  );
}

/**
 * Reads the text of the secret: `{}` for a secret without a value, and an empty text for binary
 * content.
 *
 * @throws AwsCallError
 */
async function storedText({ aws }: Context, secretId: string): Promise<string> {
  try {
    const { SecretString = '' } = await aws.secrets().send(new GetSecretValueCommand({ SecretId: secretId }));
    return SecretString;
  } catch (cause) {
    // The secret has no value yet. If the secret itself does not exist, the write that follows
    // fails.
    if (cause instanceof Error && cause.name === 'ResourceNotFoundException') return '{}';
    const advice = 'The secret is unchanged: its other members could not be kept.';
    throw new AwsCallError(`The secret ${secretId} could not be read`, cause, advice);
  }
}

/**
 * Tries the credentials.
 *
 * @returns the reason why a run with these credentials would fail, or undefined
 */
async function problemOf(context: Context, credentials: ClientCredentials): Promise<string | undefined> {
  try {
    const { api, streams, loadCheckpoints } = await openAccess(context, credentials);
    const { streams: saved } = await loadCheckpoints(streams.map(({ name }) => name));
    for (const { name, path } of streams) {
      const state = saved.get(name);
      const cursor = state instanceof Error ? undefined : state?.checkpoint.cursor;
      await api.page({ path, cursor, limit: 1, signal: context.signal });
    }
    return undefined;
  } catch (error) {
    if (isAbortError(error)) throw error;
    if (error instanceof CursorRefusedError) return ANOTHER_ORGANIZATION;
    // Only the first line is returned, because the advice in the other lines is about the stored
    // credentials.
    return printedMessage(error).split('\n')[0];
  }
}

const ANOTHER_ORGANIZATION =
  'The API refuses a saved cursor with these credentials: they belong to another organization than the rows that the SIEM has.\n' +
  `If that is intended, store them with --yes, then run "${CONNECTORCTL.command} confirm organization".`;

/**
 * Reads the credentials from the environment, a pipe or a prompt. Errors do not quote the text,
 * because it may contain the secret.
 *
 * @throws RefusedError, InterruptedError
 */
async function readCredentials({ shell, signal }: Context): Promise<ClientCredentials> {
  const { CLIENT_ID: id = '', CLIENT_SECRET: secret = '' } = shell.environment;
  if (id !== '' && secret !== '') return { clientId: id, clientSecret: secret };
  if (isInteractive(shell)) {
    const clientId = id || (await askLine('Client id: ', shell, signal)).trim();
    if (clientId === '') throw new RefusedError(NOT_GIVEN);
    return { clientId, clientSecret: secret || (await askSecret(shell)) };
  }

  const given = shell.stdin.isTTY ? '' : await text(shell.stdin);
  const { client_id: clientId, client_secret: clientSecret } = parseJsonObject(given) ?? {};
  if (typeof clientId === 'string' && typeof clientSecret === 'string' && clientId !== '' && clientSecret !== '') {
    return { clientId, clientSecret };
  }
  throw new RefusedError(
    given.trim() === ''
      ? `Set CLIENT_ID and CLIENT_SECRET, write ${FORM} to stdin, or run this in a terminal. The secret is unchanged.`
      : `The text on stdin is not JSON of the form ${FORM}. The secret is unchanged.`,
  );
}

const NOT_GIVEN = 'No credentials were given. The secret is unchanged.';

async function askSecret(shell: Shell): Promise<string> {
  return askHidden('Client secret (not shown): ', shell).catch((error: unknown) => {
    throw error instanceof PromptAbortedError ? new RefusedError(NOT_GIVEN, { cause: error }) : error;
  });
}
