/** Schema of the option `alarms`, which changes single alarms by name. */
import * as v from 'valibot';
import { exactObject } from '../../lambda/exact-object.ts';
import type { AlarmOverrides } from '../connector-props.ts';
import { SEVERITIES } from './alarm-definition.ts';
import { ALARMS } from './alarms.ts';

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

const names = ALARMS.map(({ name }) => name).sort();
const byName: unknown = exactObject(Object.fromEntries(names.map(name => [name, v.optional(override)])), 'an alarm');

export const alarmOverridesSchema = byName as v.GenericSchema<unknown, AlarmOverrides>;
