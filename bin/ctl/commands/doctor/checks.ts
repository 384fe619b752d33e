/** The checks of `doctor`, in order. */
import { addresses, lists, secret, threatAsset, token } from './api-checks.ts';
import type { Check, DoctorContext } from './context.ts';
import { awsAccount, bootstrap, clock, configuration } from './preflight-checks.ts';
import { bucket, deliveryStream, notifications, readerPolicy, siemQueue } from './siem-checks.ts';
import {
  alarmSubscription,
  alarms,
  deployedFunction,
  failedStacks,
  lastDeployment,
  organization,
  schedule,
  scheduleRole,
  settings,
  stack,
  state,
  table,
} from './stack-checks.ts';

/** Run before `cdk deploy`. */
export const PREFLIGHT_CHECKS: readonly Check<DoctorContext>[] = [
  awsAccount,
  bootstrap,
  configuration,
  failedStacks,
  addresses,
  clock,
];

/** From the stack through the API to the SIEM's side. */
export const DEPLOYMENT_CHECKS: readonly Check<DoctorContext>[] = [
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
  organization,
  deliveryStream,
  bucket,
  siemQueue,
  notifications,
  readerPolicy,
  schedule,
  scheduleRole,
  alarms,
  alarmSubscription,
  clock,
];
