/** The checks of `doctor`, in order. */
import * as api from './api-checks.ts';
import * as preflight from './preflight-checks.ts';
import * as siem from './siem-checks.ts';
import * as stack from './stack-checks.ts';

/** Run before `cdk deploy`. */
export const PREFLIGHT_CHECKS = [
  preflight.awsAccount,
  preflight.bootstrap,
  preflight.configuration,
  stack.failedStacks,
  api.addresses,
  preflight.clock,
];

/** From the stack through the API to the SIEM's side. */
export const DEPLOYMENT_CHECKS = [
  preflight.awsAccount,
  stack.stack,
  stack.lastDeployment,
  stack.settings,
  stack.deployedFunction,
  api.secret,
  api.token,
  ...api.lists,
  api.threatAsset,
  stack.table,
  stack.state,
  stack.organization,
  siem.deliveryStream,
  siem.bucket,
  siem.siemQueue,
  siem.notifications,
  siem.readerPolicy,
  stack.schedule,
  stack.scheduleRole,
  stack.alarms,
  stack.alarmSubscription,
  preflight.clock,
];
