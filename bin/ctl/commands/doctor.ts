import { Command } from 'commander';
import { examples, type Run } from '../command.ts';
import type { Context } from '../context.ts';
import { diagnosesText } from '../doctor/diagnoses-text.ts';
import { runChecks } from '../doctor/examine.ts';
import { createContext } from '../doctor/patient.ts';
import type { Outcome } from '../report/report.ts';

interface DoctorOptions {
  readonly before?: true;
}

export function doctorCommand(run: Run): Command {
  return new Command('doctor')
    .description('check a deployment from end to end, and say what to do; changes nothing')
    .option(
      '--preflight',
      'check what can be checked before "cdk deploy": cdk.json of this folder or the nearest above it, account, region',
    )
    .addHelpText(
      'after',
      `\nExit status 3: a check failed.\n${examples('doctor', 'doctor --preflight', 'doctor --stack acme --json')}`,
    )
    .action(run((context, { before }: DoctorOptions) => doctor(context, before === true)));
}

async function doctor(context: Context, isBefore: boolean): Promise<Outcome> {
  // The checklist knows the configuration, whose library the other commands need not wait for.
  const { AFTER, BEFORE } = await import('../doctor/checklists.ts');
  const checks = isBefore ? BEFORE : AFTER;
  using progress = context.report.progress('Examining.', checks.length);
  const all = await runChecks(checks, createContext(context), ({ name }) => progress.advance(1, name));
  const failed = all.some(({ status }) => status === 'fail');
  return { text: diagnosesText(all), json: { checks: all, failed }, status: failed ? 3 : 0 };
}
