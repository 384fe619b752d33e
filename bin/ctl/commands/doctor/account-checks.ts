/** Checks of the AWS account and the clock. */
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { awsCall } from '../../errors.ts';
import { createCheck, type Finding, fail, ok, warn } from './context.ts';

/** Checks the AWS account with a call that every AWS identity may make. */
export const awsAccountCheck = createCheck('aws-account', [], async ({ aws, clock, skews }) => {
  const client = aws.sts();
  const command = new GetCallerIdentityCommand({});
  recordTime(command, date => skews.push(date - clock.now()));
  const { Account, Arn } = await awsCall(client.send(command), 'The AWS account could not be read');
  return ok(`account ${Account}, region ${await client.config.region()}, as ${Arn}`);
});

/**
 * Records the time of AWS's answer, because AWS rejects requests whose time is more than five
 * minutes off.
 */
function recordTime({ middlewareStack }: GetCallerIdentityCommand, note: (date: number) => void): void {
  middlewareStack.add(
    next => async request => {
      const answer = await next(request);
      const { headers } = answer.response as { readonly headers?: Readonly<Record<string, string>> };
      const date = Date.parse(headers?.['date'] ?? '');
      if (Number.isFinite(date)) note(date);
      return answer;
    },
    { step: 'deserialize', name: 'recordTime', priority: 'low' },
  );
}

/** AWS rejects signatures whose time is off by more than this number of milliseconds. */
const REFUSED_MILLISECONDS = 5 * 60_000;
const WARNING_MILLISECONDS = 30_000;
const CLOCK_REMEDY =
  'Set the clock of this machine (NTP). If it is right, the clock of the API is wrong: contact its operator.';

/**
 * Checks the clock. It is the last check, because the other checks collect the times of the
 * answers.
 */
export const clockCheck = createCheck('clock', [], async ({ skews }) => clockFinding(skews));

/** @param skews milliseconds that other clocks are ahead of this machine */
export function clockFinding(skews: readonly number[]): Finding {
  if (skews.length === 0) return { status: 'skipped', text: 'no answer contained a time' };
  const worst = Math.max(...skews.map(Math.abs));
  if (worst < WARNING_MILLISECONDS) return ok('this machine, AWS and the API agree on the time');
  const text = `the clock of this machine differs by up to ${Math.round(worst / 1000)} s from AWS or the API`;
  return worst < REFUSED_MILLISECONDS ? warn(text, CLOCK_REMEDY) : fail(text, CLOCK_REMEDY);
}
