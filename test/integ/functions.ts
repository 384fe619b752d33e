import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
  type UpdateFunctionConfigurationCommandInput,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../lambda/invocation.ts';

const lambda = new LambdaClient({ requestHandler: { requestTimeout: 900_000 } });

export async function environmentOf(FunctionName: string): Promise<Record<string, string>> {
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  return Environment?.Variables ?? {};
}

type Change = Omit<UpdateFunctionConfigurationCommandInput, 'FunctionName'>;

/** Changes a function, and waits until every later call meets the change. */
export async function update(FunctionName: string, change: Change): Promise<void> {
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...change }));
  await waitUntilFunctionUpdatedV2({ client: lambda, maxWaitTime: 120 }, { FunctionName });
}

/** One run; a run that Lambda ended, or that failed, is an `error`. */
export async function invoke(FunctionName: string): Promise<InvocationResult | { readonly error: string }> {
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
  const answer = JSON.parse(Payload?.transformToString() || 'null');
  return FunctionError === undefined ? answer : { error: String(answer?.errorMessage ?? FunctionError) };
}

/** Runs until one has read every stream to its end. Finding the lease held is no end. */
export async function drain(name: string): Promise<InvocationResult> {
  for (let tries = 0; tries < 30; tries++) {
    const result = await invoke(name);
    if ('error' in result) throw new Error(`A run failed: ${result.error}`);
    if (!result.leaseHeld && !result.more) return result;
    // The lease of a run that was killed has to end first.
    if (result.leaseHeld) await new Promise(resolve => setTimeout(resolve, 5_000));
  }
  throw new Error('Thirty runs did not reach the end of the streams');
}
