/** Invokes the function with a command, and waits for the lease. */
import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { StreamName } from '../../lambda/streams.ts';
import type { Context } from './context.ts';
import { AwsCallError, FunctionFailedError, InterruptedError, RefusedError, StillBusyError } from './errors.ts';

/** Payload of the function. `lambda/command.ts` reads it. */
export interface FunctionCommand {
  readonly streams?: readonly StreamName[];
  readonly resync?: readonly StreamName[];
  readonly replay?: readonly StreamName[];
  /** Time in ISO 8601, with a zone. A replay sends only rows whose last event was sent after it. */
  readonly since?: string | undefined;
  /** Digest of the organization whose rows are sent from now on. */
  readonly confirmOrganization?: string;
  /** Digest of the waiting withdrawals that the operator confirms. */
  readonly confirmWithdrawals?: string;
}

const PAUSE_MILLISECONDS = 5_000;

/**
 * Invokes the function, again and again while another run holds the lease.
 *
 * @param wait longest time to wait for the lease, in seconds
 * @returns the result, and the seconds that the run took, a cold start included
 * @throws StillBusyError, RefusedError, FunctionFailedError, AwsCallError, InterruptedError
 */
export async function invokeWhenFree(context: Context, command: FunctionCommand, wait: number) {
  const { clock, report, signal } = context;
  const end = clock.now() + wait * 1000;
  for (;;) {
    const begun = clock.now();
    report.say('A run is in progress.');
    // While the lease is held, a plain run returns a result with `leaseHeld`, and any other command
    // fails.
    const result = await invokeFunction(context, command).catch((error: unknown) => {
      if (error instanceof FunctionFailedError && error.type === 'LeaseBusyError') return undefined;
      throw error;
    });
    if (result && !result.leaseHeld) return { result, seconds: (clock.now() - begun) / 1000 };

    const left = end - clock.now();
    if (left <= 0) throw new StillBusyError(`Another run still holds the lease after ${wait} s. ${STILL_BUSY}`);
    report.say(`Another run holds the lease. Trying again for ${Math.ceil(left / 1000)} s at most.`);
    await clock.sleep(Math.min(PAUSE_MILLISECONDS, left), signal).catch((cause: unknown) => {
      throw new InterruptedError('Interrupted while waiting for the lease. Nothing was done.', { cause });
    });
  }
}

/** Invokes the function and waits for its answer, up to 15 minutes. */
async function invokeFunction({ aws, deployment, signal }: Context, command: FunctionCommand) {
  const { functionName: FunctionName } = await deployment();
  const Payload = Buffer.from(JSON.stringify(command));
  const invocation = new InvokeCommand({ FunctionName, InvocationType: 'RequestResponse', Payload });
  const answer = await aws
    .invoker()
    .send(invocation, { abortSignal: signal })
    .catch((cause: unknown) => {
      if (signal.aborted) throw new InterruptedError(INTERRUPTED, { cause });
      throw new AwsCallError(`Function ${FunctionName} could not be invoked`, cause, NOT_INVOKED);
    });

  const said = JSON.parse(answer.Payload?.transformToString() || 'null');
  if (answer.FunctionError === undefined) return said as InvocationResult;
  if (said?.errorType === 'CommandError') {
    throw new RefusedError(`The function rejects the command. ${said.errorMessage}`);
  }
  throw new FunctionFailedError(said?.errorType ?? answer.FunctionError, said?.errorMessage ?? 'It gave no reason.');
}

const STILL_BUSY =
  'Nothing was done. A run takes 15 minutes at most: "status" shows the lease, and --wait 900 waits for the longest run.';
const INTERRUPTED =
  'Interrupted. A run that has started continues in AWS, which is safe. "status" shows whether it holds the lease.';
const NOT_INVOKED =
  'If the connection broke, a run that has started continues: "status" shows whether it holds the lease.';
