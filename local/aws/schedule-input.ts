import { AwsError } from './aws-error.ts';
import type { JsonObject } from './json-protocol.ts';

const EXPRESSION =
  /^(rate\([1-9]\d* (minutes?|hours?|days?)\)|cron\(\S+( \S+){5}\)|at\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\))$/;

/** Longest that Scheduler tries, and how often, when nothing is said. */
const RETRY_DEFAULTS = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/** Members that a schedule has only when they are set. */
const OPTIONAL = ['Description', 'StartDate', 'EndDate', 'KmsKeyArn'];

/**
 * What a schedule becomes by an update: exactly what the request says, and a default for everything that it leaves out.
 *
 * @throws AwsError ValidationException
 */
export function readScheduleInput(input: JsonObject): JsonObject {
  const target = input['Target'] as JsonObject | undefined;
  const window = input['FlexibleTimeWindow'] as JsonObject | undefined;
  const expression = input['ScheduleExpression'];
  refuseAbsent({
    flexibleTimeWindow: window,
    'flexibleTimeWindow.mode': window ? window['Mode'] : '',
    scheduleExpression: expression,
    target,
    'target.arn': target ? target['Arn'] : '',
    'target.roleArn': target ? target['RoleArn'] : '',
  });
  refuseOther('state', input['State'], ['ENABLED', 'DISABLED']);
  refuseOther('flexibleTimeWindow.mode', window?.['Mode'], ['OFF', 'FLEXIBLE']);
  refuseOther('actionAfterCompletion', input['ActionAfterCompletion'], ['NONE', 'DELETE']);
  if (!EXPRESSION.test(String(expression))) throw invalid(`Invalid Schedule Expression ${String(expression)}.`);
  if (window?.['Mode'] === 'FLEXIBLE' && window['MaximumWindowInMinutes'] === undefined) {
    throw invalid('MaximumWindowInMinutes must be set when FlexibleTimeWindow mode is FLEXIBLE.');
  }
  const kept = OPTIONAL.filter(name => input[name] !== undefined).map(name => [name, input[name]]);
  return {
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: input['ScheduleExpressionTimezone'] ?? 'UTC',
    FlexibleTimeWindow: window,
    Target: { ...target, RetryPolicy: { ...RETRY_DEFAULTS, ...(target?.['RetryPolicy'] as object | undefined) } },
    State: input['State'] ?? 'ENABLED',
    ActionAfterCompletion: input['ActionAfterCompletion'] ?? 'NONE',
    ...Object.fromEntries(kept),
  };
}

function refuseAbsent(members: JsonObject): void {
  const absent = Object.keys(members).filter(name => members[name] === undefined);
  if (absent.length === 0) return;
  const faults = absent.map(name => `Value null at '${name}' failed to satisfy constraint: Member must not be null`);
  throw invalid(`${absent.length} validation error${absent.length === 1 ? '' : 's'} detected: ${faults.join('; ')}`);
}

function refuseOther(name: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(String(value))) return;
  const constraint = `Member must satisfy enum value set: [${allowed.join(', ')}]`;
  throw invalid(
    `1 validation error detected: Value '${String(value)}' at '${name}' failed to satisfy constraint: ${constraint}`,
  );
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'ValidationException', message);
}
