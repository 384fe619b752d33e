import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { AwsCallError } from '../../errors.ts';
import { type Check, fail, ok } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

const STACK = 'CDKToolkit';

/** What the CDK needs in an account and region before the first deployment. */
export const bootstrap: Check<DoctorContext> = {
  name: 'bootstrap',
  needs: ['aws-account'],
  async look({ aws }) {
    try {
      const { Stacks: [stack] = [] } = await aws.cloudFormation().send(new DescribeStacksCommand({ StackName: STACK }));
      const version = stack?.Outputs?.find(each => each.OutputKey === 'BootstrapVersion')?.OutputValue;
      if (/FAILED|ROLLBACK/.test(stack?.StackStatus ?? '')) return fail(`${STACK} is ${stack?.StackStatus}`, REMEDY);
      return ok(`${STACK} is there${version ? `, bootstrap version ${version}` : ''}`);
    } catch (cause) {
      if (cause instanceof Error && /does not exist/.test(cause.message)) {
        return fail('this account and region are not prepared for the CDK', REMEDY);
      }
      throw new AwsCallError(`The stack ${STACK} could not be read`, 'You need cloudformation:DescribeStacks.', cause);
    }
  },
};

const REMEDY =
  '"npx cdk bootstrap", once for each account and region. Prepared under another name: this check cannot see it.';
