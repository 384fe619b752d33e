import { readAlarms } from '../../alarms/read-alarms.ts';
import { PERMISSION, readSubscriptions, type Subscriptions } from '../../alarms/read-subscriptions.ts';
import { restore } from '../../deployment/restore.ts';
import { type Check, type Finding, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const alarms: Check<DoctorContext> = {
  name: 'alarms',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { connector, alarmTopicArn, stackName } = await deployment();
    const { alarms: all, notifiers } = await readAlarms(aws, connector);
    if (notifiers.length < 2 || all.length === 0) return fail('alarms are gone', restore(stackName, 'them'));
    if (notifiers.some(({ actions }) => !actions.includes(alarmTopicArn))) {
      return fail('page or ticket does not tell the topic', restore(stackName, 'the action'));
    }
    if (notifiers.some(({ tells }) => !tells))
      return warn('muted: nobody is told', '"npm run connectorctl -- resume" switches them on.');
    const firing = all.filter(each => each.state === 'ALARM').map(each => each.name);
    if (firing.length > 0) return warn(`in alarm: ${firing.join(', ')}`, '"npm run connectorctl -- status" says more.');
    return ok(`${all.length} alarms, none in alarm; page and ticket tell ${alarmTopicArn}`);
  },
};

/** An alarm that nobody hears is none. */
export const alarmSubscription: Check<DoctorContext> = {
  name: 'alarm-subscription',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { alarmTopicArn: topic, account, stackName } = await deployment();
    const found = await readSubscriptions(aws, topic);
    if (found === 'gone') return fail(`${topic} is gone: nobody is told of any alarm`, restore(stackName));
    if (found !== 'refused') return subscriptionFinding(found, topic);
    const parent = topic.split(':')[4] ?? '';
    if (parent === account) return fail(`who has subscribed to ${topic} is hidden`, `You need ${PERMISSION} on it.`);
    return warn(
      `account ${parent} does not show who has subscribed to ${topic}`,
      `Ask whoever looks after it, or have the topic's policy grant you ${PERMISSION}.`,
    );
  },
};

function subscriptionFinding({ confirmed, pending }: Subscriptions, topic: string): Finding {
  const anew = `aws sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint you@example.com`;
  if (confirmed.length > 0) {
    const waiting = pending.length > 0 ? `; ${pending.length} still to be confirmed` : '';
    return ok(`${confirmed.length} confirmed (${[...new Set(confirmed)].join(', ')})${waiting}`);
  }
  if (pending.length > 0) {
    return warn(
      `not confirmed: nobody is told of any alarm until the link in the e-mail from SNS is followed (${pending.length} pending)`,
      `SNS forgets it after 48 hours, and no deployment asks again. Then: ${anew}`,
    );
  }
  return fail(
    'nobody has subscribed: nobody is told of any alarm',
    `${anew}, and follow the link in the e-mail. For good: alarmEmail or alarmTopicArn in cdk.json.`,
  );
}
