import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import { AwsCallError } from '../../errors.ts';
import { type Check, ok } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

/** The one question that every AWS identity may ask. */
export const awsAccount: Check<DoctorContext> = {
  name: 'aws-account',
  async look({ aws, clock, skews }) {
    const client = aws.sts();
    noteTime(client, date => skews.push(date - clock.now()));
    try {
      const { Account, Arn } = await client.send(new GetCallerIdentityCommand({}));
      return ok(`account ${Account}, region ${await client.config.region()}, as ${Arn}`);
    } catch (cause) {
      throw new AwsCallError('AWS does not say who you are', 'Log in, or say --profile and --region.', cause);
    }
  },
};

/** AWS refuses requests whose time is five minutes off, so its own time is worth knowing. */
function noteTime({ middlewareStack }: STSClient, note: (date: number) => void): void {
  middlewareStack.add(
    next => async request => {
      const answer = await next(request);
      const { headers } = answer.response as { readonly headers?: Readonly<Record<string, string>> };
      const date = Date.parse(headers?.['date'] ?? '');
      if (Number.isFinite(date)) note(date);
      return answer;
    },
    { step: 'deserialize', name: 'noteTime', priority: 'low' },
  );
}
