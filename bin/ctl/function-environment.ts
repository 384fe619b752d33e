import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { awsClients } from './aws.ts';
import { AwsCallError, RefusedError } from './errors.ts';

export type FunctionEnvironment = Readonly<Record<string, string>>;

/** The settings of a deployed function. They hold names and addresses, never a secret. @throws AwsCallError */
export async function readFunctionEnvironment(name: string): Promise<FunctionEnvironment> {
  try {
    const command = new GetFunctionConfigurationCommand({ FunctionName: name });
    const { Environment } = await awsClients.lambda().send(command);
    return Environment?.Variables ?? {};
  } catch (error) {
    throw new AwsCallError(
      `The settings of function ${name} could not be read`,
      'Nothing was done. Check --function (output FunctionName of the stack), the region and your credentials.',
      error,
    );
  }
}

/** @throws RefusedError when the function is none of this project's */
export function settingOf(environment: FunctionEnvironment, setting: string, name: string): string {
  const value = environment[setting];
  if (value) return value;
  throw new RefusedError(`Function ${name} has no setting ${setting}: it is no connector. Nothing was done.`);
}
