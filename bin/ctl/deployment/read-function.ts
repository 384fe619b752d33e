import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';
import type { FunctionEnvironment } from './function-environment.ts';

export interface DeployedFunction {
  /** It holds names and addresses, never a secret. */
  readonly environment: FunctionEnvironment;
  readonly state: Condition;
  /** What became of the newest change of its code or settings. */
  readonly lastUpdate: Condition;
}

/** In the words of Lambda: `Active`, `Pending`, `Inactive`, `Failed`; `Successful`, `InProgress`, `Failed`. */
export interface Condition {
  readonly word: string;
  readonly reason: string | undefined;
  /** For example `Idle` or `SubnetOutOfIPAddresses`. */
  readonly code: string | undefined;
}

/** @throws AwsCallError */
export async function readFunction(aws: Aws, name: string): Promise<DeployedFunction> {
  try {
    const told = await aws.lambda().send(new GetFunctionConfigurationCommand({ FunctionName: name }));
    return {
      environment: told.Environment?.Variables ?? {},
      state: condition(told.State, told.StateReason, told.StateReasonCode),
      lastUpdate: condition(told.LastUpdateStatus, told.LastUpdateStatusReason, told.LastUpdateStatusReasonCode),
    };
  } catch (cause) {
    const advice = 'Nothing was done. You need lambda:GetFunctionConfiguration on the function of the stack.';
    throw new AwsCallError(`The settings of function ${name} could not be read`, advice, cause);
  }
}

function condition(word = 'unknown', reason: string | undefined, code: string | undefined): Condition {
  return { word, reason, code };
}
