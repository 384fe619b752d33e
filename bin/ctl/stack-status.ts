/**
 * What each status of a CloudFormation stack means for the connector in it. Source: "Understand CloudFormation stack creation events" and
 * "Stack status codes" in the CloudFormation user guide.
 */
import type { Stack, StackStatus } from '@aws-sdk/client-cloudformation';
import { awsCommand } from './aws-command.ts';

/**
 * - `complete`: the last deployment succeeded.
 * - `in progress`: the connector exists, and a deployment changes it.
 * - `rolling back`: the connector exists, and a deployment that failed is being rolled back.
 * - `rolled back`: the last deployment failed, and the connector is as it was before.
 * - `incomplete`: the last deployment failed halfway. The connector exists, and parts of it may be of either deployment.
 * - `creating`: the first deployment has not ended.
 * - `not created`: the first deployment failed, so no connector exists.
 * - `not started`: a change set exists, and no resource.
 * - `deleting`: the stack is being deleted, or its deletion failed halfway.
 */
type Phase =
  | 'complete'
  | 'in progress'
  | 'rolling back'
  | 'rolled back'
  | 'incomplete'
  | 'creating'
  | 'not created'
  | 'not started'
  | 'deleting';

/** A status that a later SDK adds fails the type check here. */
const PHASES: Readonly<Record<StackStatus, Phase>> = {
  CREATE_COMPLETE: 'complete',
  CREATE_FAILED: 'not created',
  CREATE_IN_PROGRESS: 'creating',
  DELETE_COMPLETE: 'deleting',
  DELETE_FAILED: 'deleting',
  DELETE_IN_PROGRESS: 'deleting',
  IMPORT_COMPLETE: 'complete',
  IMPORT_IN_PROGRESS: 'in progress',
  IMPORT_ROLLBACK_COMPLETE: 'rolled back',
  IMPORT_ROLLBACK_FAILED: 'incomplete',
  IMPORT_ROLLBACK_IN_PROGRESS: 'rolling back',
  REVIEW_IN_PROGRESS: 'not started',
  ROLLBACK_COMPLETE: 'not created',
  ROLLBACK_FAILED: 'not created',
  ROLLBACK_IN_PROGRESS: 'creating',
  UPDATE_COMPLETE: 'complete',
  // The new resources are in use. What is cleaned up are the replaced ones.
  UPDATE_COMPLETE_CLEANUP_IN_PROGRESS: 'in progress',
  UPDATE_FAILED: 'incomplete',
  UPDATE_IN_PROGRESS: 'in progress',
  UPDATE_ROLLBACK_COMPLETE: 'rolled back',
  UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS: 'rolled back',
  UPDATE_ROLLBACK_FAILED: 'incomplete',
  UPDATE_ROLLBACK_IN_PROGRESS: 'rolling back',
};

/** Nothing for a status that this version does not know. */
export function phaseOf(status: string): Phase | undefined {
  return Object.hasOwn(PHASES, status) ? PHASES[status as StackStatus] : undefined;
}

/** Whether somebody must act. A deployment in progress is not a fault. */
export function isTroubled(status: string): boolean {
  const phase = phaseOf(status);
  return phase !== undefined && phase !== 'complete' && phase !== 'in progress';
}

/** The command that shows what failed. */
export function eventsCommand(stackName: string, region: string): string {
  return awsCommand(region, `cloudformation describe-stack-events --stack-name ${stackName}`);
}

/** Explains a stack without the outputs of a connector, and how to continue. Undefined for a stack that was created. */
export function withoutConnector(stack: Stack, region: string): string | undefined {
  const { StackName: name = '', StackStatus: status = '', StackStatusReason: reason } = stack;
  const why = reason ? ` CloudFormation gives the reason: ${reason}` : '';
  switch (phaseOf(status)) {
    case 'creating':
      return `Stack ${name} is ${status}: its first deployment has not ended, so there is no connector yet.${why}\nRepeat this command when it has ended.`;
    case 'not started':
      return `Stack ${name} is ${status}: it has a change set and no resource, so there is no connector yet.\nDeploy it: npx cdk deploy ${name}`;
    case 'not created':
      return (
        `Stack ${name} is ${status}: its first deployment failed, so there is no connector and no event was sent.${why}\n` +
        `${eventsCommand(name, region)} shows what failed. Correct it, delete the stack, then deploy again. To delete it: ${deletion(stack, region)}`
      );
    case 'deleting':
      return `Stack ${name} is ${status}: it is being deleted, or its deletion failed.${why}\n${eventsCommand(name, region)} shows which resources are left.`;
    default:
      return undefined;
  }
}

/** One line for the shell. A stack with termination protection refuses to be deleted. */
function deletion({ StackName: name, EnableTerminationProtection: isProtected }: Stack, region: string): string {
  const steps = [
    ...(isProtected ? ['update-termination-protection --no-enable-termination-protection'] : []),
    'delete-stack',
    'wait stack-delete-complete',
  ];
  return steps.map(step => awsCommand(region, `cloudformation ${step} --stack-name ${name}`)).join(' && ');
}
