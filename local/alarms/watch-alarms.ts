/** The alarms of a template, evaluated once per minute, as CloudWatch does. */
import { resourcesOf, type Template } from '../deployment/template.ts';
import { alarmDefinitions, compositeAlarmMembers, shortAlarmName } from './alarm-definitions.ts';
import { type AlarmStateName, evaluateAlarm } from './evaluate-alarm.ts';
import type { RecordedMetrics } from './time-series.ts';

export interface WatchedAlarm {
  /** The name of the alarm without the connector's name. */
  readonly name: string;
  /** Name of the composite alarm that contains this alarm. */
  readonly severity: string;
  readonly description: string;
  readonly state: AlarmStateName;
}

export interface AlarmWatch {
  /** The alarms in the order of the template, critical alarms first. */
  readonly alarms: readonly WatchedAlarm[];
  /** Evaluates the alarms at the end of a minute. @returns the alarms whose state changed */
  evaluate(minute: number): WatchedAlarm[];
}

export function watchAlarms(template: Template, metrics: RecordedMetrics): AlarmWatch {
  const composites = compositeAlarmMembers(template);
  const severityOf = (name: string) => [...composites].find(([, members]) => members.includes(name))?.[0] ?? '';
  const descriptions = new Map(
    resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { Properties: properties = {} }]) => {
      return [shortAlarmName(String(properties['AlarmName'])), String(properties['AlarmDescription'])];
    }),
  );

  const rank = [...composites.keys()];
  const definitions = alarmDefinitions(template)
    .map(definition => ({ ...definition, severity: severityOf(definition.name) }))
    .sort((one, other) => rank.indexOf(one.severity) - rank.indexOf(other.severity));
  let alarms = definitions.map(({ name, severity }): WatchedAlarm => {
    return { name, severity, description: descriptions.get(name) ?? '', state: 'OK' };
  });
  return {
    get alarms() {
      return alarms;
    },
    evaluate(minute) {
      const before = alarms;
      alarms = alarms.map((alarm, index) => ({ ...alarm, state: evaluateAlarm(definitions[index]!, metrics, minute) }));
      return alarms.filter(({ state }, index) => state !== before[index]!.state);
    },
  };
}
