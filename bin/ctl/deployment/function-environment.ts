import { RefusedError } from '../errors.ts';

export type FunctionEnvironment = Readonly<Record<string, string>>;

/** @throws RefusedError when the function is none of this project's */
export function settingOf(environment: FunctionEnvironment, setting: string): string {
  const value = environment[setting];
  if (value) return value;
  throw new RefusedError(
    `The function of the stack has no setting ${setting}. Nothing was done. "npm run connectorctl -- doctor" says which it lacks.`,
  );
}
