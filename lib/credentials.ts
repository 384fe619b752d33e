import { CfnOutput, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { PLACEHOLDER } from './placeholder.ts';

interface SecretOptions {
  readonly connectorName: string;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey | undefined;
}

export interface PlaceholderSecret {
  readonly description: string;
  /**
   * Members that a person fills in after the deployment. The last member holds the secret itself.
   */
  readonly members: readonly [...string[], string];
  /**
   * Output with the command that fills the secret, and the file that this command reads, so that no
   * secret lands in a shell's history.
   */
  readonly fill: { readonly output: string; readonly file: string };
}

/**
 * Creates a secret whose content is a placeholder until a person fills it in. Secrets Manager
 * generates the placeholder, so the template contains no value, and a later deployment does not
 * overwrite the value that was filled in.
 */
export function createPlaceholderSecret(
  scope: Construct,
  id: string,
  placeholder: PlaceholderSecret,
  { removalPolicy, encryptionKey }: SecretOptions,
): secretsmanager.ISecret {
  const { description, members, fill } = placeholder;
  const generated = members[members.length - 1] as string;
  const others = members.slice(0, -1).map(member => [member, PLACEHOLDER]);
  const secret = new secretsmanager.Secret(scope, id, {
    description,
    generateSecretString: {
      secretStringTemplate: JSON.stringify(Object.fromEntries(others)),
      generateStringKey: generated,
    },
    removalPolicy,
    ...(encryptionKey && { encryptionKey }),
  });
  const content = JSON.stringify(Object.fromEntries(members.map(member => [member, '…'])));
  new CfnOutput(scope, fill.output, {
    description: `Replaces the whole secret with the file ${fill.file}: ${content}`,
    value: `aws secretsmanager put-secret-value --region ${Stack.of(scope).region} --secret-id ${secret.secretArn} --secret-string file://${fill.file}`,
  });
  return secret;
}

/** Creates the secret for the client credentials of one organization. */
export function createCredentialsSecret(scope: Construct, options: SecretOptions): secretsmanager.ISecret {
  const placeholder: PlaceholderSecret = {
    description: `Client credentials of connector ${options.connectorName}: {"client_id": "…", "client_secret": "…"}`,
    members: ['client_id', 'client_secret'],
    fill: { output: 'FillCredentials', file: 'credentials.json' },
  };
  return createPlaceholderSecret(scope, 'Credentials', placeholder, options);
}
