/** Invokes the function with a command. */
import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { StreamName } from '../../lambda/streams.ts';
import type { Aws } from './aws.ts';
import { AwsCallError, FunctionFailedError, InterruptedError, LeaseHeldError, RefusedError } from './errors.ts';

interface DeployedFunction {
  readonly aws: Aws;
  readonly functionName: string;
  readonly signal: AbortSignal;
}

/** Invokes the function and waits for its answer, up to 15 minutes. @throws RefusedError, LeaseHeldError, AwsCallError, FunctionFailedError, InterruptedError */
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
      throw new AwsCallError(`Function ${functionName} could not be invoked`, cause, { safe: NOT_INVOKED });
    });
  const said = JSON.parse(answer.Payload?.transformToString() || 'null');
  // A held lease is an answer to a plain run and an error to any other command.
  if (said?.leaseHeld || said?.errorType === 'LeaseBusyError') throw new LeaseHeldError();
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
  /** Ids of rows to compare with the API one by one, see commands/verify/repair.ts. */
  readonly repair?: Readonly<Partial<Record<StreamName, readonly string[]>>>;
  /** The rows of the organization whose credentials are set replace those that the state is about. */
  readonly confirmOrganization?: true;
}
