import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** Use of the customer's key through the named services only; nothing where AWS's own keys are used. */
export function keyStatement(
  scope: Construct,
  key: IKey | undefined,
  actions: readonly string[],
  services: readonly string[],
): iam.PolicyStatement[] {
  if (!key) return [];
  const { region, urlSuffix } = Stack.of(scope);
  const via = services.map(service => `${service}.${region}.${urlSuffix}`);
  return [
    new iam.PolicyStatement({
      actions: [...actions],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': via } },
    }),
  ];
}
