import type { Deployment } from './deployment.ts';

/** The alarm of this name goes into alarm now. */
export function raiseAlarm({ account }: Deployment, name: string): void {
  Object.assign(account.alarms.get(name)!, { StateValue: 'ALARM', StateTransitionedTimestamp: new Date() });
}
