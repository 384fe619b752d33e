import { InvokeCommand, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError, FunctionFailedError, InterruptedError, RefusedError } from '../errors.ts';
import type { Command } from './payload.ts';

export interface Invocation {
  readonly aws: Aws;
  readonly functionName: string;
  readonly signal: AbortSignal;
}

/** Runs the function and waits for its answer, up to Lambda's 15 minutes. @throws RefusedError, AwsCallError, FunctionFailedError, InterruptedError */
export async function invokeFunction(invocation: Invocation, command: Command): Promise<InvocationResult> {
  const { FunctionError, Payload } = await call(invocation, command);
  const answer = JSON.parse(Payload?.transformToString() || 'null');
  if (FunctionError === undefined) return answer;
  if (answer?.errorType === 'CommandError') {
    throw new RefusedError(`The function refuses the order. ${answer.errorMessage}`);
  }
  throw new FunctionFailedError(answer?.errorType ?? FunctionError, answer?.errorMessage ?? 'It gave no reason.');
}

async function call({ aws, functionName, signal }: Invocation, command: Command): Promise<InvokeCommandOutput> {
  const invocation = new InvokeCommand({
    FunctionName: functionName,
    InvocationType: 'RequestResponse',
    Payload: Buffer.from(JSON.stringify(command)),
  });
  try {
    return await aws.invoker().send(invocation, { abortSignal: signal });
  } catch (error) {
    if (signal.aborted) {
      throw new InterruptedError(
        'Interrupted. The run goes on by itself in AWS if it had begun, and harms nothing: "status" shows whether it holds the lease.',
        { cause: error },
      );
    }
    throw new AwsCallError(
      `Function ${functionName} could not be invoked`,
      'You need lambda:InvokeFunction on the function of the stack. If the connection broke after the start, the run goes on ' +
        'by itself: "status" shows whether it holds the lease.',
      error,
    );
  }
}
