/**
 * Reads the client credentials from Secrets Manager. They are not cached, because a token that was
 * issued for them is reused for its whole lifetime.
 */
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { callAws, type Sender } from '../aws.ts';
import { CredentialsError, connectionAdvice } from '../core/errors.ts';
import type { RetryBudget } from '../core/retry.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface CredentialsReader {
  /** Reads the secret as it is now. @throws CredentialsError */
  read(retryBudget: RetryBudget): Promise<ClientCredentials>;
}

const SECRET = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ client_id: v.pipe(v.string(), v.nonEmpty()), client_secret: v.pipe(v.string(), v.nonEmpty()) }),
);

export function createCredentialsReader(client: Sender, secretId: string): CredentialsReader {
  return { read: async retryBudget => parse(await fetchSecret(client, secretId, retryBudget)) };
}

async function fetchSecret(client: Sender, secretId: string, budget: RetryBudget): Promise<unknown> {
  const failed = (cause: unknown) =>
    new CredentialsError('The secret with the client credentials could not be read.', {
      cause,
      advice: adviceFor(cause),
    });
  const command = new GetSecretValueCommand({ SecretId: secretId });
  const { SecretString } = await callAws(() => client.send(command), { budget, failed });
  return SecretString;
}

const DO_NOT_FILL = 'Do not fill the secret: it may be right.';

/**
 * Returns advice that never says to fill a secret that could not be read, because an operator would
 * then overwrite a good secret.
 */
function adviceFor(cause: unknown): string {
  const name = cause instanceof Error ? cause.name : '';
  if (/NotFound/.test(name)) return 'The secret was deleted, or has no value. Restore it, or deploy the stack again.';
  if (/AccessDenied|Decryption|KMS/.test(name))
    return (
      `${DO_NOT_FILL} Allow the role of the function secretsmanager:GetSecretValue on it, and kms:Decrypt if it has a key of its own. The next ` +
      'run reads it again.'
    );
  return `${DO_NOT_FILL} ${connectionAdvice(cause) ?? 'The next run reads it again.'}`;
}

const NO_TEXT = 'Secrets Manager answered without the text of the secret (SecretString).';
const NO_TEXT_ADVICE = `${DO_NOT_FILL} If it was stored as binary, store the same JSON as text; the next run reads it again.`;

/**
 * Parses the secret. The errors contain neither the secret nor the parser's message, which may
 * quote it.
 */
function parse(secret: unknown): ClientCredentials {
  if (typeof secret !== 'string') throw new CredentialsError(NO_TEXT, { advice: NO_TEXT_ADVICE });
  const parsed = v.safeParse(SECRET, secret);
  if (!parsed.success) {
    throw new CredentialsError('The secret is not JSON of the form {"client_id": "...", "client_secret": "..."}.');
  }
  return { clientId: parsed.output.client_id, clientSecret: parsed.output.client_secret };
}
