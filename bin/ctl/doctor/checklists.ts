/** What the doctor looks at, in this order. */
import type { Check } from './check.ts';
import { addresses } from './checks/addresses.ts';
import { alarmSubscription, alarms } from './checks/alarms.ts';
import { announcements } from './checks/announcements.ts';
import { awsAccount } from './checks/aws-account.ts';
import { bootstrap } from './checks/bootstrap.ts';
import { clock } from './checks/clock.ts';
import { configuration } from './checks/configuration.ts';
import { bucket, deliveryStream } from './checks/delivery.ts';
import { deployedFunction } from './checks/function.ts';
import { lists } from './checks/lists.ts';
import { schedule, scheduleRole } from './checks/schedule.ts';
import { secret } from './checks/secret.ts';
import { settings } from './checks/settings.ts';
import { readerPolicy, siemQueue } from './checks/siem.ts';
import { failedStacks, lastDeployment, stack } from './checks/stack.ts';
import { state, table } from './checks/table.ts';
import { threatAsset } from './checks/threat-asset.ts';
import { token } from './checks/token.ts';
import type { DoctorContext } from './patient.ts';

/** Before `cdk deploy`. */
export const BEFORE: readonly Check<DoctorContext>[] = [
  awsAccount,
  bootstrap,
  configuration,
  failedStacks,
  addresses,
  clock,
];

/** After it: from the stack, over the API, to what the SIEM reads. */
export const AFTER: readonly Check<DoctorContext>[] = [
  awsAccount,
  stack,
  lastDeployment,
  settings,
  deployedFunction,
  secret,
  token,
  ...lists,
  threatAsset,
  table,
  state,
  deliveryStream,
  bucket,
  siemQueue,
  announcements,
  readerPolicy,
  schedule,
  scheduleRole,
  alarms,
  alarmSubscription,
  clock,
];
