import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

/** Makes `text` the current value of the secret. @throws AwsCallError */
export async function setCredentials(aws: Aws, secretId: string, text: string): Promise<void> {
  const command = new PutSecretValueCommand({ SecretId: secretId, SecretString: text });
  try {
    await aws.secrets().send(command);
  } catch (error) {
    const advice =
      'The secret is unchanged, unless the connection broke. You need secretsmanager:PutSecretValue on it.';
    throw new AwsCallError(`The secret ${secretId} could not be filled`, advice, error);
  }
}
