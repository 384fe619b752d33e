import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import type { Aws } from '../aws.ts';
import { AwsCallError, RefusedError } from '../errors.ts';

export type FunctionEnvironment = Readonly<Record<string, string>>;

/** The environment of a deployed function. It holds names and addresses, never a secret. @throws AwsCallError */
export async function readFunctionEnvironment(aws: Aws, name: string): Promise<FunctionEnvironment> {
  try {
    const { Environment } = await aws.lambda().send(new GetFunctionConfigurationCommand({ FunctionName: name }));
    return Environment?.Variables ?? {};
  } catch (cause) {
    const advice = 'Nothing was done. You need lambda:GetFunctionConfiguration on the function of the stack.';
    throw new AwsCallError(`The settings of function ${name} could not be read`, advice, cause);
  }
}

/** @throws RefusedError when the function is none of this project's */
export function settingOf(environment: FunctionEnvironment, setting: string): string {
  const value = environment[setting];
  if (value) return value;
  throw new RefusedError(
    `The function of the stack has no setting ${setting}. Nothing was done. Deploy the stack again.`,
  );
}
