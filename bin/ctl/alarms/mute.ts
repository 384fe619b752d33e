import { DisableAlarmActionsCommand, EnableAlarmActionsCommand } from '@aws-sdk/client-cloudwatch';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

/** What the two alarms that tell people are called. */
function notifiers(connector: string): string[] {
  return [`${connector}/page`, `${connector}/ticket`];
}

/** Alarms go on judging, and tell nobody. @throws AwsCallError */
export async function mute(aws: Aws, connector: string): Promise<void> {
  try {
    await aws.cloudWatch().send(new DisableAlarmActionsCommand({ AlarmNames: notifiers(connector) }));
  } catch (cause) {
    const advice = 'Nothing was changed. You need cloudwatch:DisableAlarmActions on both.';
    throw new AwsCallError(`The alarms page and ticket of ${connector} could not be muted`, advice, cause);
  }
}

const ONLY_UNMUTED = 'The schedule is on. Nobody is told of alarms yet: ';

/** @param otherwise what is so when it fails @throws AwsCallError */
export async function unmute(aws: Aws, connector: string, otherwise = ONLY_UNMUTED): Promise<void> {
  try {
    await aws.cloudWatch().send(new EnableAlarmActionsCommand({ AlarmNames: notifiers(connector) }));
  } catch (cause) {
    const advice = `${otherwise}you need cloudwatch:EnableAlarmActions on both.`;
    throw new AwsCallError(`The alarms page and ticket of ${connector} could not be switched on`, advice, cause);
  }
}
