/** The statements that the construct grants an operator, from the synthesized template. */
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import type { OperatorGrant } from '../../../lib/grants/operator-permissions.ts';
import { LOCAL_NAMES } from '../../../local/aws/local-aws.ts';
import { resolveValue } from '../../../local/deployment/template.ts';
import { createReferences } from '../../aws/references.ts';
import { type Statement, statementsOf } from '../../stack/suites/policies.ts';
import { configured, createApp, templateOf } from '../../stack/synth.ts';
import { OPTIONS } from './deployment.ts';

/**
 * Statements of a policy that got one grant, with the names that resources have on this machine.
 */
export function operatorStatements(grant: OperatorGrant): readonly Statement[] {
  const stack = new ConnectorStack(createApp(), configured(OPTIONS));
  const { connector } = stack;
  const policy = new ManagedPolicy(stack, 'Operators');
  const granted = grant === 'inspect' ? connector.grantInspect(policy) : connector.grantOperate(policy);
  granted.assertSuccess();
  const template = templateOf(stack);
  const references = createReferences(template, { stackName: stack.stackName, names: LOCAL_NAMES });
  return resolveValue(statementsOf(template, 'Operators'), references) as Statement[];
}
