import { InvokeCommand, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../lambda/invocation.ts';
import { awsClients } from './aws.ts';
import { AwsCallError, FunctionFailedError } from './errors.ts';
import type { Order } from './order.ts';

/** Runs the function and waits for its answer, up to Lambda's 15 minutes. @throws AwsCallError, FunctionFailedError */
export async function invokeFunction(name: string, order: Order): Promise<InvocationResult> {
  const { FunctionError, Payload } = await call(name, order);
  const answer = JSON.parse(Payload?.transformToString() || 'null');
  if (FunctionError === undefined) return answer;
  throw new FunctionFailedError(answer?.errorType ?? FunctionError, answer?.errorMessage ?? 'It gave no reason.');
}

async function call(name: string, order: Order): Promise<InvokeCommandOutput> {
  const command = new InvokeCommand({
    FunctionName: name,
    InvocationType: 'RequestResponse',
    Payload: Buffer.from(JSON.stringify(order)),
  });
  try {
    return await awsClients.invoker().send(command);
  } catch (error) {
    throw new AwsCallError(
      `Function ${name} could not be invoked`,
      'Check --function (output FunctionName of the stack), the region and your credentials. If the connection broke after ' +
        'the start, the run goes on by itself: "status" shows whether it holds the lease.',
      error,
    );
  }
}
