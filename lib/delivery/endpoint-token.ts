import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { createPlaceholderSecret } from '../credentials.ts';

export interface EndpointTokenProps {
  /** The member of the secret that Firehose reads for this kind of endpoint. */
  readonly member: 'hec_token' | 'api_key';
  readonly connectorName: string;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/** The token that Firehose presents to the endpoint, to be filled in after the deployment. */
export function createEndpointToken(scope: Construct, props: EndpointTokenProps): ISecret {
  return createPlaceholderSecret(scope, 'Token', {
    ...props,
    description: `Token of the endpoint that connector ${props.connectorName} delivers to: {"${props.member}": "…"}`,
    members: [props.member],
    fill: { output: 'FillToken', file: 'token.json' },
  });
}
