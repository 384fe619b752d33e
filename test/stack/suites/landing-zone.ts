/**
 * Rules of organizations: path and names of roles, other partitions, and apps without feature
 * flags.
 */
import { describe, expect, test } from '@jest/globals';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import { configured, createApp, synthesize, templateOf } from '../synth.ts';
import { joinedText, propertiesOf } from '../template.ts';
import { BOUNDARY_ARN, VARIANTS } from '../variants.ts';

describe('a landing zone that prescribes path, prefix and boundary', () => {
  const template = synthesize(VARIANTS.landingZone);
  const roles = propertiesOf(template, 'AWS::IAM::Role');
  const policies = propertiesOf(template, 'AWS::IAM::ManagedPolicy');

  test('every role has the prescribed path and boundary, and every managed policy has the path', () => {
    expect(new Set([...roles, ...policies].map(({ Path }) => Path))).toEqual(new Set(['/security/connectors/']));
    expect(new Set(roles.map(({ PermissionsBoundary }) => PermissionsBoundary))).toEqual(new Set([BOUNDARY_ARN]));
  });

  test('every name has the prescribed prefix, which follows OIDC_ in the role for Sentinel', () => {
    const names = roles.map(({ RoleName }) => joinedText(RoleName)).sort();
    expect(names).toEqual([
      'OIDC_secops-acme-SiemReader-51af3dc0',
      'secops-acme-DeliveryRole-51af3dc0',
      'secops-acme-PollerRole-51af3dc0',
      'secops-acme-TickRole-51af3dc0',
    ]);
    const policyNames = policies.map(({ ManagedPolicyName }) => joinedText(ManagedPolicyName));
    expect(policyNames).toEqual(['secops-acme-SiemReaderPolicy-51af3dc0']);
  });
});

test.each([
  ['china', ['aws-cn']],
  ['government', ['aws-us-gov']],
  // The partition is known only at deployment.
  ['plain', []],
] as const)('the ARNs of the variant %s contain only the partition %j', (name, partitions) => {
  const text = JSON.stringify(synthesize(VARIANTS[name]));
  const found = [...text.matchAll(/arn:([^:"]+):/g)].map(([, partition]) => partition);
  expect([...new Set(found)]).toEqual(partitions);
});

test('feature flags of the CDK do not change the logical ids of the stack', () => {
  const ids = (template: object) => Object.keys((template as { Resources: object }).Resources);
  // Together they have every type of resource.
  for (const name of ['everyOption', 'splunk', 'http', 'readers', 'sentinel'] as const) {
    const app = createApp({ context: { 'aws:cdk:bundling-stacks': [] } });
    const bare = templateOf(new ConnectorStack(app, configured(VARIANTS[name])));
    expect(ids(bare)).toEqual(ids(synthesize(VARIANTS[name])));
  }
});
