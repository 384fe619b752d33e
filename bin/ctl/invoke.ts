/** Invokes the function with a command, waits for the lease, and continues until the streams are caught up. */
import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { Clock } from '../../lambda/ports.ts';
import type { StreamName } from '../../lambda/streams.ts';
import type { Aws } from './aws.ts';
import { AwsCallError, FunctionFailedError, InterruptedError, RefusedError, StillBusyError } from './errors.ts';

interface DeployedFunction {
  readonly aws: Aws;
  readonly functionName: string;
  readonly signal: AbortSignal;
}

/** Invokes the function and waits for its answer, up to 15 minutes. @throws RefusedError, AwsCallError, FunctionFailedError, InterruptedError */
export async function invokeFunction(
  { aws, functionName, signal }: DeployedFunction,
  command: FunctionCommand,
): Promise<InvocationResult> {
  const Payload = Buffer.from(JSON.stringify(command));
  const invocation = new InvokeCommand({ FunctionName: functionName, InvocationType: 'RequestResponse', Payload });
  const answer = await aws
    .invoker()
    .send(invocation, { abortSignal: signal })
    .catch((cause: unknown) => {
      if (signal.aborted) throw new InterruptedError(INTERRUPTED, { cause });
      throw new AwsCallError(`Function ${functionName} could not be invoked`, NOT_INVOKED, cause);
    });
  const said = JSON.parse(answer.Payload?.transformToString() || 'null');
  if (answer.FunctionError === undefined) return said;
  if (said?.errorType === 'CommandError') {
    throw new RefusedError(`The function rejects the command. ${said.errorMessage}`);
  }
  throw new FunctionFailedError(said?.errorType ?? answer.FunctionError, said?.errorMessage ?? 'It gave no reason.');
}

const INTERRUPTED =
  'Interrupted. A run that has started continues in AWS, which is safe. "status" shows whether it holds the lease.';
const NOT_INVOKED =
  'If the connection broke, a run that has started continues: "status" shows whether it holds the lease.';

/** The payload, see lambda/command.ts. */
export interface FunctionCommand {
  readonly streams?: readonly StreamName[];
  readonly resync?: readonly StreamName[];
  readonly replay?: readonly StreamName[];
  /** Digest of the organization whose rows are sent from now on. */
  readonly confirmOrganization?: string;
}

/** The function to invoke, and the time to wait for the lease. */
export interface Dispatch {
  readonly invoke: (command: FunctionCommand) => Promise<InvocationResult>;
  readonly clock: Clock;
  /** Longest time to wait for the lease, in seconds. */
  readonly wait: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const PAUSE_MILLISECONDS = 5_000;

/** @throws StillBusyError, FunctionFailedError, AwsCallError, InterruptedError */
export async function carryOut(
  command: FunctionCommand,
  { invoke, clock, wait, say, signal }: Dispatch,
): Promise<InvocationResult> {
  const end = clock.now() + wait * 1000;
  for (;;) {
    // A held lease is an answer to a plain run and an error to any other command.
    const result = await invoke(command).catch((error: unknown) => {
      if (error instanceof FunctionFailedError && error.type === 'LeaseBusyError') return undefined;
      throw error;
    });
    if (result && !result.leaseHeld) return result;
    const left = end - clock.now();
    if (left <= 0) throw new StillBusyError(wait);
    say(`Another run holds the lease. Trying again for ${Math.ceil(left / 1000)} s at most.`);
    await clock.sleep(Math.min(PAUSE_MILLISECONDS, left), signal).catch((cause: unknown) => {
      throw new InterruptedError('Interrupted while waiting for the lease. Nothing was done.', { cause });
    });
  }
}
