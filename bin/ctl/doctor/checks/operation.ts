import { readAlarms } from '../../alarms/read-alarms.ts';
import { readSchedule } from '../../schedule/schedule.ts';
import { type Check, fail, ok, warn } from '../check.ts';
import type { Patient } from '../patient.ts';

export const schedule: Check<Patient> = {
  name: 'schedule',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { scheduleName } = await deployment();
    const { enabled, expression } = await readSchedule(aws, scheduleName);
    if (enabled) return ok(`on, ${expression}`);
    return warn('off: nothing runs by itself', '"connectorctl resume" switches it on.');
  },
};

export const alarms: Check<Patient> = {
  name: 'alarms',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { connector, alarmTopicArn } = await deployment();
    const { alarms: all, tellers } = await readAlarms(aws, connector);
    if (tellers.length < 2 || all.length === 0)
      return fail('alarms are gone', 'Deploy the stack again: it restores them.');
    if (tellers.some(({ actions }) => !actions.includes(alarmTopicArn))) {
      return fail('page or ticket does not tell the topic', 'Deploy the stack again: it restores the action.');
    }
    if (tellers.some(({ tells }) => !tells))
      return warn('muted: nobody is told', '"connectorctl resume" switches them on.');
    const firing = all.filter(each => each.state === 'ALARM').map(each => each.name);
    if (firing.length > 0) return warn(`in alarm: ${firing.join(', ')}`, '"connectorctl status" says more.');
    return ok(
      `${all.length} alarms, none in alarm; page and ticket tell ${alarmTopicArn}, but who has subscribed is not seen here`,
    );
  },
};
