import { describe, expect, test } from '@jest/globals';
import { type Stack, Validations } from 'aws-cdk-lib';
import { checkWithNag } from '../../../bin/nag.ts';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import { configured, createApp } from '../synth.ts';
import { VARIANT_NAMES, VARIANTS } from '../variants.ts';

interface Acknowledged {
  readonly id: string;
  readonly reason: string;
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

describe('the stacks of all variants', () => {
  // One app for all: to start the validation takes longer than to validate a template.
  const app = createApp({ builtinCloudFormationValidation: true });
  const stacks = VARIANT_NAMES.map(
    name => new ConnectorStack(app, configured({ ...VARIANTS[name], name: name.toLowerCase() })),
  );
  const byLibrary = stacks.flatMap(acknowledgements);
  checkWithNag(app);

  test('acknowledge no finding themselves: that is for the app to decide', () => {
    expect(byLibrary).toEqual([]);
  });

  test('are valid CloudFormation and pass the AwsSolutions rules of cdk-nag', () => {
    expect(app.synth().stacks).toHaveLength(stacks.length);
  });

  test('explain every rule that they break on purpose', () => {
    const unexplained = stacks.flatMap(acknowledgements).filter(({ reason }) => !/^[A-Z].{30,}\.$/.test(reason));
    expect(unexplained).toEqual([]);
  });

  test('break these rules on purpose where nothing is configured, and no others', () => {
    const ids = acknowledgements(stacks[VARIANT_NAMES.indexOf('plain')]!).map(({ id }) =>
      id.replace('Annotation::', '').replace(/<Connector\w+\.Arn>/, '<bucket>'),
    );
    expect(ids.sort()).toEqual([
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
});
