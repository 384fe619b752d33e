import { CredentialsError } from '../../../lambda/core/errors.ts';
import { type Credentials, createCredentials } from '../../../lambda/source/credentials.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

/**
 * The function's credentials, read with the operator's own rights: where those are lacking nothing is wrong with the secret, and
 * whoever is told to fill it would overwrite a good one.
 */
export function operatorCredentials(aws: Aws, secretId: string): Credentials {
  const source = createCredentials(aws.secrets(), secretId);
  return {
    async read(options) {
      try {
        return await source.read(options);
      } catch (error) {
        if (!(error instanceof CredentialsError) || error.cause === undefined) throw error;
        const advice =
          'Nothing was changed. You need secretsmanager:GetSecretValue on it, and kms:Decrypt if it has a key of its own.';
        throw new AwsCallError(`The secret ${secretId} could not be read`, advice, error.cause);
      }
    },
  };
}
