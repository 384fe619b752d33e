/** What the construct grants an operator, from the synthesized template. */
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import type { OperatorGrant } from '../../../lib/grants/operator-permissions.ts';
import { LOCAL_ACCOUNT, LOCAL_NAMES } from '../../../local/aws/local-aws.ts';
import { resolveValue } from '../../../local/deployment/template.ts';
import { createReferences } from '../../aws/references.ts';
import type { Statement } from '../../stack/suites/policies.ts';
import { configured, createApp, templateOf } from '../../stack/synth.ts';
import { OPTIONS } from './deployment.ts';

export interface OperatorStatement extends Statement {
  readonly Resource: string | string[];
}

const READER = { siemReader: { type: 'external-id', principal: LOCAL_ACCOUNT, externalId: 'from-the-form' } };

/** Statements of a policy that got one grant, with the names that resources have on this machine. */
export function operatorStatements(grant: OperatorGrant, options: object = {}): readonly OperatorStatement[] {
  const stack = new ConnectorStack(createApp(), configured({ ...OPTIONS, ...READER, ...options }));
  const policy = new ManagedPolicy(stack, 'Operators');
  const { connector } = stack;
  const granted = grant === 'inspect' ? connector.grantInspect(policy) : connector.grantOperate(policy);
  granted.assertSuccess();
  const template = templateOf(stack);
  const references = createReferences(template, { stackName: stack.stackName, names: LOCAL_NAMES });
  const id = Object.keys(template.Resources).find(each => each.startsWith('Operators'))!;
  const { Statement } = resolveValue(template.Resources[id]!.Properties['PolicyDocument'], references) as {
    Statement: OperatorStatement[];
  };
  return Statement;
}
