import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { hasFailedCreation, wayOut } from '../../deployment/find-deployment.ts';
import { AwsCallError } from '../../errors.ts';
import { findCdkJson } from '../cdk-json.ts';
import { type Check, fail, ok, warn } from '../check.ts';
import type { Patient } from '../patient.ts';
import { readContext } from './configuration.ts';

/** Found, of a version that this program understands, with every output, and whole. */
export const stack: Check<Patient> = {
  name: 'stack',
  needs: ['aws-account'],
  async look(patient) {
    const { stackName, stackStatus, version } = await patient.deployment();
    const text = `${stackName}, ${stackStatus}, version ${version}`;
    if (/FAILED|ROLLBACK/.test(stackStatus)) {
      return fail(text, 'See the stack’s events in CloudFormation for what failed, mend it, and deploy again.');
    }
    if (/IN_PROGRESS/.test(stackStatus)) return warn(text, 'A deployment is under way: look again when it has ended.');
    return ok(text);
  },
};

/** Before a deployment: none of the configured stacks is left from one that failed, which the CDK could not delete. */
export const failedStacks: Check<Patient> = {
  name: 'failed-stacks',
  needs: ['aws-account', 'configuration'],
  async look({ aws }) {
    const connectors = await readContext((await findCdkJson())!);
    const client = aws.cloudFormation();
    for (const { name } of connectors) {
      const StackName = `SecurityDataConnector-${name}`;
      try {
        const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
        if (!found || !hasFailedCreation(found)) continue;
        const [text = '', ...todo] = wayOut(found, await client.config.region()).split('\n');
        return fail(text, todo.join(' '));
      } catch (cause) {
        if (cause instanceof Error && /does not exist/.test(cause.message)) continue;
        throw new AwsCallError(
          `The stack ${StackName} could not be read`,
          'You need cloudformation:DescribeStacks.',
          cause,
        );
      }
    }
    return ok('no stack is left from a first deployment that failed');
  },
};
