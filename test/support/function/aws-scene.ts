import { type AwsClients, createAwsClients } from '../../../lambda/aws.ts';
import type { RetryBudget } from '../../../lambda/core/retry.ts';
import { createTable, type Table } from '../../../lambda/store/table.ts';
import type { AwsOptions } from '../../aws/endpoints.ts';
import { type Started, startedBy } from '../../aws/started.ts';
import { type AwsUnderTest, startAwsUnderTest } from '../../outside/real/support/aws-under-test.ts';
import { retryBudget, type SteppedClock, steppedClock } from './stepped-clock.ts';

export interface AwsScene extends Started<AwsUnderTest> {
  readonly clients: AwsClients;
  readonly clock: SteppedClock;
  readonly retryBudget: RetryBudget;
  readonly table: Table;
  /** How often an action has been called since the last `forget`. */
  count(action: string): number;
  forget(): void;
}

/** The real clients against local endpoints, or against the real parts of this run, with a clock that nobody waits for. */
export async function awsScene(options: Partial<AwsOptions> = {}): Promise<AwsScene> {
  const scene = await startedBy(startAwsUnderTest, options);
  // The SDK looks for its endpoints at each client's first call.
  Object.assign(process.env, scene.aws.environment);
  const clients = createAwsClients({ s3PathStyle: true, leaseSeconds: 60 });
  const clock = steppedClock();
  const waiting = retryBudget(clock);
  return {
    ...scene,
    clients,
    clock,
    retryBudget: waiting,
    table: createTable(clients.dynamodb, scene.aws.names.stateTable, waiting),
    count: action => scene.calls.filter(call => call.action === action).length,
    forget: () => void scene.calls.splice(0),
  };
}

/** A lease that is always valid. */
export const pass = async (): Promise<void> => undefined;
