/** The alarms of a template, evaluated once a minute as CloudWatch does. */
import { alarmDefinitions, compositeAlarms, shortName } from '../alarms/alarm-definitions.ts';
import { evaluate, type State } from '../alarms/evaluate-alarm.ts';
import type { TimeSeries } from '../alarms/time-series.ts';
import { resourcesOf, type Template } from '../deployment/template.ts';

export interface WatchedAlarm {
  /** Without the connector's name. */
  readonly name: string;
  /** Name of the composite alarm that it is part of. */
  readonly severity: string;
  readonly description: string;
  /** Section of the runbook. */
  readonly section: string;
  readonly state: State;
  /** Minute in which it came into its state. */
  readonly since: number;
}

/** A change of state, at the end of a minute. */
export interface AlarmChange {
  readonly name: string;
  readonly state: State;
  readonly minute: number;
}

export interface AlarmWatch {
  /** In the order of the template, critical first. */
  readonly alarms: readonly WatchedAlarm[];
  /** Evaluates at the end of a minute. @returns what changed */
  evaluate(minute: number): AlarmChange[];
}

export function watchAlarms(template: Template, metrics: TimeSeries): AlarmWatch {
  const definitions = alarmDefinitions(template);
  const descriptions = new Map(
    resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { Properties: properties = {} }]) => {
      const name = String(properties['AlarmName']);
      return [shortName(name), String(properties['AlarmDescription'])];
    }),
  );
  const severities = new Map(
    [...compositeAlarms(template)].flatMap(([severity, names]) => names.map(name => [name, severity] as const)),
  );
  const rank = [...new Set(severities.values())];
  const alarms = new Map(
    definitions.map(({ name }): [string, WatchedAlarm] => {
      const description = descriptions.get(name) ?? '';
      const section = /#(\S+)$/.exec(description)?.[1] ?? '';
      return [name, { name, severity: severities.get(name) ?? '', description, section, state: 'OK', since: 0 }];
    }),
  );
  return {
    get alarms() {
      return [...alarms.values()].sort((one, other) => rank.indexOf(one.severity) - rank.indexOf(other.severity));
    },
    evaluate(minute) {
      return definitions.flatMap(definition => {
        const alarm = alarms.get(definition.name)!;
        const state = evaluate(definition, metrics, minute, alarm.state);
        if (state === alarm.state) return [];
        alarms.set(alarm.name, { ...alarm, state, since: minute });
        return [{ name: alarm.name, state, minute }];
      });
    },
  };
}
