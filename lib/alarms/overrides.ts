/** The option `alarms`: changes of single alarms, by name. */
import * as v from 'valibot';
import { exactObject } from '../../lambda/exact-object.ts';
import type { AlarmName, AlarmOverrides } from '../connector-props.ts';
import { type AlarmDefinition, type Condition, SEVERITIES } from './alarm-definition.ts';
import { ALARMS } from './alarms.ts';

const ALARM_NAMES: readonly AlarmName[] = ALARMS.map(({ name }) => name).sort();

const IS_TOO_SMALL = 'must be a number greater than 0';

const override = v.union(
  [
    v.literal(false),
    exactObject({
      threshold: v.optional(v.pipe(v.number(), v.finite(IS_TOO_SMALL), v.gtValue(0, IS_TOO_SMALL))),
      severity: v.optional(v.picklist(SEVERITIES)),
    }),
  ],
  'must be false, or an object with a threshold greater than 0, a severity ("critical" or "warning"), or both',
);

const byName: unknown = exactObject(
  Object.fromEntries(ALARM_NAMES.map(name => [name, v.optional(override)])),
  'an alarm',
);

export const alarmOverridesSchema = byName as v.GenericSchema<unknown, AlarmOverrides>;

/** The definition with its changes applied. Undefined if the alarm is off. */
export function overridden(definition: AlarmDefinition, overrides: AlarmOverrides): AlarmDefinition | undefined {
  const given = overrides[definition.name] ?? {};
  if (given === false) return undefined;
  const { threshold, severity = definition.severity } = given;
  if (threshold === undefined) return { ...definition, severity };
  return {
    ...definition,
    severity,
    data: `${definition.data} The threshold of this alarm was changed to ${threshold}.`,
    when: settings => withThreshold(definition.when(settings), threshold),
  };
}

function withThreshold(condition: Condition, threshold: number): Condition {
  if ('atLeast' in condition) return { ...condition, atLeast: threshold };
  return 'atMost' in condition ? { ...condition, atMost: threshold } : { ...condition, below: threshold };
}
