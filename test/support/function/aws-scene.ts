import { type AwsClients, createAwsClients } from '../../../lambda/aws.ts';
import type { RetryBudget } from '../../../lambda/core/retry.ts';
import { createTable, type Table } from '../../../lambda/store/table.ts';
import type { AnsweredCall } from '../../../local/aws/call.ts';
import type { AwsOptions } from '../../../local/aws/local-aws.ts';
import { type AwsUnderTest, startAwsUnderTest } from '../../outside/real/support/aws-under-test.ts';
import { temporaryFolder } from '../parts/temporary-folder.ts';
import { retryBudget, type SteppedClock, steppedClock } from './stepped-clock.ts';

export interface AwsScene extends AsyncDisposable {
  readonly aws: AwsUnderTest;
  /** Every call so far, in order. */
  readonly calls: AnsweredCall[];
  readonly clients: AwsClients;
  readonly clock: SteppedClock;
  readonly retryBudget: RetryBudget;
  readonly table: Table;
  /** How often an action has been called since the last `forget`. */
  count(action: string): number;
  forget(): void;
}

/**
 * The real clients against local endpoints, or against the real parts of this run, with a clock
 * that nobody waits for.
 */
export async function awsScene(options: Partial<AwsOptions> = {}): Promise<AwsScene> {
  const folder = await temporaryFolder('aws-');
  const calls: AnsweredCall[] = [];
  const onCall = (call: AnsweredCall): void => void calls.push(call);
  const aws = await startAwsUnderTest({ secret: '{}', onCall, ...options, directory: folder.path });
  // The SDK looks for its endpoints at each client's first call.
  Object.assign(process.env, aws.environment);
  const clients = createAwsClients({ s3PathStyle: true, leaseSeconds: 60 });
  const clock = steppedClock();
  const waiting = retryBudget(clock);
  return {
    aws,
    calls,
    clients,
    clock,
    retryBudget: waiting,
    table: createTable(clients.dynamodb, aws.names.stateTable, waiting),
    count: action => calls.filter(call => call.action === action).length,
    forget: () => void calls.splice(0),
    async [Symbol.asyncDispose]() {
      await aws.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A lease that is always valid. */
export const pass = async (): Promise<void> => undefined;
