import { expect, test } from '@jest/globals';
import { type Stack, Validations } from 'aws-cdk-lib';
import { checkWithNag } from '../../../bin/nag.ts';
import { createApp, variantStacks } from '../synth.ts';
import { VARIANT_NAMES } from '../variants.ts';

/** Every acknowledgement in the stack: rule, and the reason that a reviewer reads. */
function acknowledgements(stack: Stack): [rule: string, reason: string][] {
  const metadata = stack.node.findAll().flatMap(({ node }) => node.metadata);
  const found = metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY);
  return found.flatMap(({ data }) => Object.entries(data as Record<string, string>));
}

test('the stacks of all variants pass cdk-nag, except for acknowledged findings', () => {
  const app = createApp();
  const stacks = variantStacks(app);
  // To acknowledge a finding is for the app to decide, not for the construct.
  expect(stacks.flatMap(acknowledgements)).toEqual([]);

  checkWithNag(app);
  expect(app.synth().stacks).toHaveLength(stacks.length);

  const plain = acknowledgements(stacks[VARIANT_NAMES.indexOf('plain')]!);
  const rules = plain.map(([rule]) => rule.replace('Annotation::', '').replace(/<Connector\w+\.Arn>/, '<bucket>'));
  expect(rules.sort()).toEqual([
    'AwsSolutions-IAM5[Resource::<bucket>/dead-letter/plain/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/delivery-errors/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/events/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/events/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/log/*]',
    'AwsSolutions-S1',
    'AwsSolutions-SMG4',
    'AwsSolutions-SQS3',
  ]);
});
