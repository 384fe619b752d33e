import * as account from './account-checks.ts';
import * as api from './api-checks.ts';
import * as delivery from './delivery-checks.ts';
import * as stack from './stack-checks.ts';

/** The checks of `doctor`, in order: from the stack through the API to the SIEM's side. */
export const CHECKS = [
  account.awsAccount,
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
  delivery.deliveryStream,
  delivery.bucket,
  delivery.notifications,
  stack.schedule,
  stack.alarmSubscription,
  account.clock,
];
