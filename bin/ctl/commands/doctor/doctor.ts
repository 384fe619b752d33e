import { Command } from 'commander';
import { helpText, type RunAction } from '../../command.ts';
import type { Context } from '../../context.ts';
import { isAbortError, printedMessage } from '../../errors.ts';
import { joinTexts, type PaintedText, paint, painted } from '../../painted.ts';
import type { CommandOutcome } from '../../report.ts';
import * as account from './account-checks.ts';
import * as api from './api-checks.ts';
import { type Check, type CheckResult, createDoctorContext, type Finding } from './context.ts';
import * as delivery from './delivery-checks.ts';
import * as stack from './stack-checks.ts';

export function doctorCommand(run: RunAction): Command {
  return new Command('doctor')
    .description('check a deployment from end to end and say what to do; changes nothing')
    .addHelpText('after', helpText(MEANING, 'doctor', 'doctor --connector acme --json'))
    .action(run(doctor));
}

const MEANING = `It calls the API with the code and settings of the function, and reads one row of each list. It shows no row, secret or token.
A check that needs a failed check is skipped.
Not checked: whether the function's network reaches the same addresses as this machine. "npx cdk drift" shows which resources somebody
changed by hand, and "npx cdk deploy --revert-drift" restores them.
Exit status 3: a check failed.`;

async function doctor(context: Context): Promise<CommandOutcome> {
  using progress = context.report.progress('Running the checks.');
  const all = await runChecks(CHECKS, createDoctorContext(context), ({ name }) => progress.advance(name));
  const failed = all.some(({ status }) => status === 'fail');
  return { text: resultsText(all), json: { checks: all, failed }, status: failed ? 3 : 0 };
}

/** The checks of `doctor`, in order: from the stack through the API to the SIEM's side. */
const CHECKS = [
  account.awsAccountCheck,
  stack.stackCheck,
  stack.lastDeploymentCheck,
  stack.settingsCheck,
  stack.deployedFunctionCheck,
  api.secretCheck,
  api.tokenCheck,
  ...api.apiListChecks,
  api.threatAssetCheck,
  stack.tableCheck,
  stack.stateCheck,
  stack.organizationCheck,
  delivery.deliveryStreamCheck,
  delivery.bucketCheck,
  delivery.notificationsCheck,
  stack.scheduleCheck,
  stack.alarmSubscriptionCheck,
  account.clockCheck,
];

/**
 * Runs the checks in order. A check that needs a failed or skipped check is skipped, so that a
 * problem is reported once.
 */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const made = new Map<string, CheckResult>();
  for (const check of checks) {
    const lacking = (check.needs ?? []).filter(need => !hasPassed(made.get(need)));
    const finding: Finding =
      lacking.length > 0 ? { status: 'skipped', text: `needs ${lacking.join(', ')}` } : await runCheck(check, context);
    const result = { name: check.name, ...finding };
    made.set(check.name, result);
    onResult(result);
  }
  return [...made.values()];
}

function hasPassed(result: CheckResult | undefined): boolean {
  return result?.status === 'ok' || result?.status === 'warn';
}

async function runCheck<Context>({ run }: Check<Context>, context: Context): Promise<Finding> {
  try {
    return await run(context);
  } catch (error) {
    if (isAbortError(error)) throw error;
    const [text = '', ...remedy] = printedMessage(error).split('\n');
    return { status: 'fail', text, ...(remedy.length > 0 && { remedy: remedy.join(' ') }) };
  }
}

const PAINT: Readonly<Record<CheckResult['status'], (text: string) => PaintedText>> = {
  ok: paint.good,
  warn: paint.unconfirmed,
  fail: paint.bad,
  skipped: paint.faint,
};

/** Prints a line for each check, followed by its remedy, and a summary. */
function resultsText(all: readonly CheckResult[]): PaintedText {
  const width = Math.max(...all.map(({ name }) => name.length));
  const indent = ' '.repeat('skipped'.length + width + 4);
  const lines = all.flatMap(({ name, status, text, remedy }) => [
    painted`${PAINT[status](status.padEnd('skipped'.length))}  ${name.padEnd(width)}  ${text}`,
    ...(remedy ? [`${indent}→ ${remedy}`] : []),
  ]);
  return joinTexts([...lines, '', summary(all)]);
}

function summary(all: readonly CheckResult[]): string {
  const words = { ok: 'ok', warn: 'warnings', fail: 'failed', skipped: 'skipped' };
  return Object.entries(words)
    .map(([status, word]) => `${all.filter(each => each.status === status).length} ${word}`)
    .join(', ');
}
