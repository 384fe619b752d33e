import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { awsClients } from './aws.ts';
import { AwsCallError } from './errors.ts';

/** Makes `text` the current value of the secret. @throws AwsCallError */
export async function fillSecret(secretId: string, text: string): Promise<void> {
  const command = new PutSecretValueCommand({ SecretId: secretId, SecretString: text });
  try {
    await awsClients.secrets().send(command);
  } catch (error) {
    const advice =
      'The secret is unchanged, unless the connection broke. Check that you may secretsmanager:PutSecretValue.';
    throw new AwsCallError(`The secret ${secretId} could not be filled`, advice, error);
  }
}
