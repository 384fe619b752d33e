/**
 * Checks of the deployed stack: function, settings, table, schedule, subscription of the alarms.
 */

import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { paginateListSubscriptionsByTopic, type Subscription } from '@aws-sdk/client-sns';
import { SettingsError } from '../../../../lambda/settings.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { collectItems } from '../../aws.ts';
import { isStackTroubled, restoreAdvice } from '../../deployment.ts';
import { AwsCallError, RefusedError } from '../../errors.ts';
import { readOrganization } from '../../organization.ts';
import { readSchedule } from '../../schedule.ts';
import { describeTable, readState } from '../../state.ts';
import { awsCommand } from '../../text.ts';
import { createCheck, type Finding, fail, ok, warn } from './context.ts';

/** Checks that the stack exists, has every output, and was deployed by a compatible version. */
export const stackCheck = createCheck('stack', ['aws-account'], async context => {
  const { stackName, version } = await context.deployment();
  return ok(`${stackName}, version ${version}`);
});

/**
 * No other check depends on this check, because on-call uses doctor mostly after a failed
 * deployment, and the other checks must then still run.
 */
export const lastDeploymentCheck = createCheck('last-deployment', ['stack'], async ({ aws, deployment }) => {
  const { stackName, stackStatus } = await deployment();
  return deploymentFinding(stackName, stackStatus, await aws.cloudFormation().config.region());
});

export function deploymentFinding(stackName: string, status: string, region: string): Finding {
  if (isStackTroubled(status)) {
    const events = awsCommand(region, `cloudformation describe-stack-events --stack-name ${stackName}`);
    const again =
      status === 'UPDATE_ROLLBACK_FAILED' ? 'finish the rollback: npx cdk rollback' : 'deploy again: npx cdk deploy';
    const report = status.endsWith('FAILED') ? fail : warn;
    return report(
      `${status}: the last operation on the stack failed, was rolled back, or deletes it`,
      `${events} shows the cause. Correct the cause, then ${again} ${stackName}`,
    );
  }
  if (status.endsWith('IN_PROGRESS')) {
    return warn(`${status}: a deployment is in progress`, 'Run doctor again when it has ended.');
  }
  return ok(status);
}

export const deployedFunctionCheck = createCheck('function', ['settings'], async ({ deployedFunction: read }) =>
  functionFinding(await read()),
);

const LATER = 'Runs fail until then. Check again in two minutes.';
const WAKE = `Normal after a long pause. "${CONNECTORCTL.command} run" activates it: the first run fails, and a run a few minutes later succeeds.`;
const REPAIR = 'Correct the cause, then deploy again.';

/** Checks whether Lambda can start the function as it was last deployed. */
export function functionFinding(deployed: FunctionConfiguration): Finding {
  const { State = 'unknown', StateReasonCode, LastUpdateStatus = 'unknown' } = deployed;
  const reason = reasonText(StateReasonCode, deployed.StateReason);
  // A function can be inactive for other reasons than idleness.
  const isIdle = StateReasonCode === undefined || StateReasonCode === 'Idle';
  if (State === 'Pending') return warn(`Lambda is preparing the function${reason}`, LATER);
  if (State === 'Inactive' && isIdle) return warn('Lambda has deactivated the function because it was idle', WAKE);
  if (State !== 'Active') return fail(`Lambda cannot start the function: its state is ${State}${reason}`, REPAIR);

  if (LastUpdateStatus === 'InProgress') return warn('Lambda is updating the function', LATER);
  if (LastUpdateStatus === 'Successful') return ok('Lambda can start the function, and the last update succeeded');
  const cause = reasonText(deployed.LastUpdateStatusReasonCode, deployed.LastUpdateStatusReason);
  return fail(`the last update is ${LastUpdateStatus}, so the previous version is in use${cause}`, REPAIR);
}

/**
 * A reason in parentheses, for example ` (SubnetOutOfIPAddresses: The subnet has no free
 * address.)`. Empty without a reason.
 */
function reasonText(code: string | undefined, reason: string | undefined): string {
  const text = [code, reason].filter(Boolean).join(': ');
  return text && ` (${text})`;
}

export const settingsCheck = createCheck('settings', ['stack'], async context => {
  try {
    const { baseUrl, ...given } = (await context.access()).settings;
    const paths = STREAMS.flatMap(stream =>
      'pathOption' in stream ? [`, ${stream.name} ${given[stream.pathOption] ?? 'off'}`] : [],
    );
    return ok(`every setting is valid; API ${baseUrl}${paths.join('')}`);
  } catch (error) {
    if (!(error instanceof RefusedError && error.cause instanceof SettingsError)) throw error;
    // A deployment validates the settings, so somebody changed them by hand or deployed another
    // version.
    const { stackName } = await context.deployment();
    return fail(error.cause.problems.join('; '), `No run can start. ${restoreAdvice(stackName, 'the settings')}`);
  }
});

export const tableCheck = createCheck('table', ['stack'], async ({ aws, deployment }) => {
  const { table: name } = await deployment();
  const { TableStatus: status } = await describeTable(aws, name);
  if (status === 'ACTIVE') return ok(`${name} is active`);
  return fail(`${name} is ${status}`, 'Runs fail until the table is active. See DynamoDB in the console.');
});

export const stateCheck = createCheck('state', ['table'], async ({ aws, clock, deployment }) => {
  const { table: name } = await deployment();
  const { streams } = await readState(aws, name, clock.now());
  const unreadable = [...streams].flatMap(([stream, saved]) => (saved instanceof Error ? [stream] : []));
  if (unreadable.length === 0) return ok('this version reads the saved state of each stream');
  return fail(
    `another version wrote the saved state of ${unreadable.join(', ')}`,
    'Deploy the version of the connector that wrote it, or a later one.',
  );
});

/**
 * Checks the organization, because a run that meets rows of another organization sends nothing,
 * although its token and the lists are in order.
 */
export const organizationCheck = createCheck('organization', ['state', 'token'], async context => {
  const { saved, changed } = await readOrganization(context, await context.access());
  if (saved === undefined) return ok('no run has noted an organization yet');
  if (changed.length === 0) return ok('addresses and client are the same as in the saved state');
  return warn(
    `changed since the state was saved: ${changed.join(', ')}`,
    'Runs that fail with OrganizationChangedError send nothing, because the rows may be of another organization. ' +
      `"${CONNECTORCTL.command} set-credentials" stores the right credentials, "confirm organization" confirms a change that is ` +
      'meant. If runs succeed, the next one notes the new client.',
  );
});

export const scheduleCheck = createCheck('schedule', ['stack'], async ({ aws, deployment }) => {
  const { scheduleName } = await deployment();
  const { enabled, expression } = await readSchedule(aws, scheduleName);
  if (enabled) return ok(`on, ${expression}`);
  return warn('off: no run starts by itself', `"${CONNECTORCTL.command} resume" switches it on.`);
});

/** Checks the subscription, because alarms reach people only through a confirmed subscription. */
export const alarmSubscriptionCheck = createCheck('alarm-subscription', ['stack'], async ({ aws, deployment }) => {
  const { alarmTopicArn: topic, account, stackName } = await deployment();
  const pages = paginateListSubscriptionsByTopic({ client: aws.sns() }, { TopicArn: topic });
  try {
    return subscriptionFinding(await collectItems(pages, page => page.Subscriptions), topic);
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotFoundException') {
      return fail(`${topic} does not exist: nobody is notified of alarms`, restoreAdvice(stackName));
    }
    if (name !== 'AuthorizationErrorException') {
      throw new AwsCallError(`The subscriptions of ${topic} could not be read`, cause);
    }
  }

  const owningAccount = topic.split(':')[4] ?? '';
  if (owningAccount === account) {
    return fail(`the subscriptions of ${topic} cannot be read`, `AWS denies ${PERMISSION}.`);
  }
  return warn(
    `account ${owningAccount} does not show the subscriptions of ${topic}`,
    `Ask the team of that account, or have the topic's policy grant you ${PERMISSION}.`,
  );
});

const PERMISSION = 'sns:ListSubscriptionsByTopic';

export function subscriptionFinding(subscriptions: readonly Subscription[], topic: string): Finding {
  // Some values are not ARNs: "PendingConfirmation", and "Deleted" for a while after a deletion.
  const confirmed = subscriptions.filter(({ SubscriptionArn: arn = '' }) => arn.startsWith('arn:'));
  const pending = subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn === 'PendingConfirmation').length;
  if (confirmed.length > 0) {
    const protocols = [...new Set(confirmed.map(({ Protocol = 'unknown' }) => Protocol))].join(', ');
    return ok(`${confirmed.length} confirmed (${protocols})${pending > 0 ? `; ${pending} pending` : ''}`);
  }

  // The topic may be in another region than the stack.
  const [, , , region = ''] = topic.split(':');
  const subscribe = awsCommand(
    region,
    `sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint you@example.com`,
  );
  if (pending > 0) {
    return warn(
      `not confirmed: nobody is notified of alarms until the link in the e-mail from SNS is followed (${pending} pending)`,
      `The subscription expires after 48 hours, and redeploying does not renew it. Then: ${subscribe}`,
    );
  }
  return fail(
    'no subscription: nobody is notified of alarms',
    `${subscribe}, then follow the link in the e-mail. Permanently: set the option alarmEmail and deploy.`,
  );
}
