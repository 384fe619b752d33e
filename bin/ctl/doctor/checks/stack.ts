import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { eventsCommand, phaseOf, withoutConnector } from '../../deployment/stack-status.ts';
import { AwsCallError } from '../../errors.ts';
import { findCdkJson } from '../cdk-json.ts';
import { type Check, type Finding, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';
import { readContext } from './configuration.ts';

/** Found, of a version that this program understands, and with every output. */
export const stack: Check<DoctorContext> = {
  name: 'stack',
  needs: ['aws-account'],
  async look(context) {
    const { stackName, version } = await context.deployment();
    return ok(`${stackName}, version ${version}`);
  },
};

/** No other check needs it: on-call looks at a connector above all when its last deployment has failed. */
export const lastDeployment: Check<DoctorContext> = {
  name: 'last-deployment',
  needs: ['stack'],
  async look(context) {
    const { stackName, stackStatus } = await context.deployment();
    return deploymentFinding(stackName, stackStatus);
  },
};

export function deploymentFinding(stackName: string, status: string): Finding {
  const events = `${eventsCommand(stackName)} shows what failed.`;
  const again = `npx cdk deploy ${stackName}`;
  switch (phaseOf(status)) {
    case 'complete':
      return ok(status);
    case 'in progress':
    case 'creating':
    case 'not started':
      return warn(`${status}: a deployment is in progress`, 'Run doctor again when it has ended.');
    case 'rolling back':
      return warn(
        `${status}: the last deployment failed and is being rolled back`,
        `${events} Run doctor again when the rollback has ended.`,
      );
    case 'rolled back':
      return warn(
        `${status}: the last deployment failed and was rolled back; the connector runs as deployed before`,
        `${events} Correct the cause, then deploy again: ${again}`,
      );
    case 'incomplete':
    case 'not created':
      return fail(
        `${status}: the last deployment failed and is incomplete; parts of the connector may be of either version`,
        status === 'UPDATE_ROLLBACK_FAILED'
          ? `${events} Correct the cause, then finish the rollback: npx cdk rollback ${stackName}`
          : `${events} Correct the cause, then deploy again: ${again}`,
      );
    case 'deleting':
      return fail(
        `${status}: the stack is being deleted, or its deletion failed`,
        `${eventsCommand(stackName)} shows which resources are left. docs/teardown.md says how to keep the data.`,
      );
    default:
      return warn(`${status}: this version does not know the status`, 'See the CloudFormation user guide.');
  }
}

/** Before a deployment: none of the configured stacks is left from one that failed, which the CDK could not delete. */
export const failedStacks: Check<DoctorContext> = {
  name: 'failed-stacks',
  needs: ['aws-account', 'configuration'],
  async look({ aws }) {
    const connectors = await readContext((await findCdkJson())!);
    const client = aws.cloudFormation();
    for (const { name } of connectors) {
      const StackName = `SecurityDataConnector-${name}`;
      try {
        const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
        if (!found || phaseOf(found.StackStatus ?? '') !== 'not created') continue;
        const [text = '', ...remedy] = (withoutConnector(found, await client.config.region()) ?? '').split('\n');
        return fail(text, remedy.join(' '));
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
