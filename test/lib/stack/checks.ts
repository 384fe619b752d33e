import { describe, expect, test } from '@jest/globals';
import { type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import { configured, createApp, templateOf } from '../synth.ts';
import { VARIANT_NAMES, VARIANTS } from '../variants.ts';

interface Acknowledged {
  readonly id: string;
  readonly reason: string;
}

function checkedStack(name: keyof typeof VARIANTS): Stack {
  const app = createApp({ builtinCloudFormationValidation: true });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return new ConnectorStack(app, configured(VARIANTS[name]));
}

/** Every acknowledgement in the stack: rule, and the reason that a reviewer reads. */
function acknowledgements(stack: Stack): Acknowledged[] {
  return stack.node
    .findAll()
    .flatMap(construct =>
      construct.node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.entries(data as Record<string, string>).map(([id, reason]) => ({ id, reason }))),
    );
}

describe.each(VARIANT_NAMES)('the variant %s', name => {
  const stack = checkedStack(name);

  test('is valid CloudFormation and passes the AwsSolutions rules of cdk-nag', () => {
    expect(Object.keys(templateOf(stack).Resources).length).toBeGreaterThan(20);
  });

  test('explains every rule that it breaks on purpose', () => {
    const unexplained = acknowledgements(stack).filter(({ reason }) => !/^[A-Z].{30,}\.$/.test(reason));
    expect(unexplained).toEqual([]);
  });
});

test('the plain stack breaks these rules on purpose, and no others', () => {
  const ids = acknowledgements(checkedStack('plain')).map(({ id }) =>
    id.replace('Annotation::', '').replace(/<Connector\w+\.Arn>/, '<bucket>'),
  );
  expect(ids.sort()).toEqual([
    'AwsSolutions-IAM5[Resource::<bucket>/dead-letter/acme/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/delivery-errors/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/events/*]',
    'AwsSolutions-IAM5[Resource::<bucket>/events/*]',
    'AwsSolutions-S1',
    'AwsSolutions-SMG4',
    'AwsSolutions-SQS3',
    'AwsSolutions-SQS3',
  ]);
});
