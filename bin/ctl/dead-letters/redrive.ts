/** Sends again, after a fix, what was set aside: each kind in its own way. */
import { parseDeadLetterKey } from '../../../lambda/core/dead-letter.ts';
import { PREFIXES } from '../../../lib/prefixes.ts';
import type { Context } from '../context.ts';
import { FunctionFailedError, InterruptedError, RefusedError } from '../errors.ts';
import { confirm } from '../orders/confirm.ts';
import type { Outcome } from '../report/report.ts';
import { queueDepth } from '../status/queue-depth.ts';
import { listDeadLetters, listDeliveryErrors } from './objects.ts';
import { moveBack, queueNamed, queueUrl } from './queues.ts';
import { redriveDelivery } from './redrive-deliveries.ts';
import { lettersOrders, redriveDeadLetters } from './redrive-letters.ts';
import { redriveOutcome } from './redrive-result.ts';
import type { Redriven } from './redriven.ts';
import { unknownKey } from './show.ts';

export interface RedriveOptions {
  readonly all?: true;
  readonly yes?: true;
  /** Seconds to wait for the lease. */
  readonly wait: number;
}

interface Targets {
  readonly letters: readonly string[];
  readonly deliveries: readonly string[];
  readonly announcements: boolean;
}

/** @throws RefusedError, AwsCallError, InterruptedError; StillBusyError, FunctionFailedError when nothing could be done */
export async function redrive(context: Context, keys: readonly string[], options: RedriveOptions): Promise<Outcome> {
  if (keys.length > 0 === (options.all === true)) {
    throw new RefusedError('Name the keys to send again, or say --all; not both. Nothing was done.');
  }
  const targets = options.all ? await everything(context) : await named(context, keys);
  const { letters, deliveries, announcements } = targets;
  if (letters.length + deliveries.length === 0 && !announcements) return redriveOutcome([]);
  const announcement = announce(targets);
  if (options.yes) context.report.say(announcement);
  else await confirm(announcement, context.signal);
  return redriveOutcome(await carryOutAll(context, targets, options.wait));
}

async function named(context: Context, keys: readonly string[]): Promise<Targets> {
  const { connector } = await context.deployment();
  const different = [...new Set(keys.map(key => queueNamed(key) ?? key))];
  const letters = different.filter(key => parseDeadLetterKey(key, connector));
  const deliveries = different.filter(key => key.startsWith(PREFIXES.deliveryErrors));
  const announcements = different.includes('siem-dead-letters');
  if (different.includes('schedule-dead-letters')) {
    throw new RefusedError(
      'Starts that could not be handed over need not be sent again: the next run does their work. Nothing was done.',
    );
  }
  const strange = different.find(key => ![...letters, ...deliveries, 'siem-dead-letters'].includes(key));
  if (strange !== undefined) throw new RefusedError(unknownKey(strange, connector));
  if (announcements && !(await queueUrl(context, 'siem-dead-letters'))) {
    throw new RefusedError('The stack has no queue for the SIEM. Nothing was done.');
  }
  return { letters, deliveries, announcements };
}

async function everything(context: Context): Promise<Targets> {
  const url = await queueUrl(context, 'siem-dead-letters');
  const waiting = url ? (await queueDepth(context.aws, url)).waiting : 0;
  return {
    letters: (await listDeadLetters(context)).map(({ key }) => key),
    deliveries: (await listDeliveryErrors(context)).map(({ key }) => key),
    announcements: waiting > 0,
  };
}

function announce({ letters, deliveries, announcements }: Targets): string {
  return [
    ...(letters.length > 0
      ? [
          `The function runs, and tries ${letters.length === 1 ? '1 row' : `${letters.length} rows`} again: what can be sent now and is still the newest is sent.`,
        ]
      : []),
    ...(deliveries.length > 0
      ? [
          `The events of ${deliveries.length === 1 ? '1 object' : `${deliveries.length} objects`} of delivery errors go into the delivery stream again.`,
        ]
      : []),
    ...(announcements ? ['SQS moves the announcements that the SIEM gave up on back to its queue.'] : []),
    'What is dealt with is deleted where it lay. Events may come twice, under the event_id that they had.',
  ].join('\n');
}

const SOME_GONE = 'What was dealt with before it failed is deleted: "dead-letters list" shows what is left.';

/** One kind that fails does not keep the others from being tried. */
async function carryOutAll(context: Context, targets: Targets, wait: number): Promise<Redriven[]> {
  const { letters, deliveries, announcements } = targets;
  const done: Redriven[] = [];
  const failures: unknown[] = [];
  const attempt = async (keys: readonly string[], act: () => Promise<Redriven[]>) => {
    if (keys.length === 0) return;
    try {
      done.push(...(await act()));
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      failures.push(error);
      const message = error instanceof Error ? error.message : String(error);
      const reason = error instanceof FunctionFailedError ? `${message}\n  ${SOME_GONE}` : message;
      done.push({ key: keys.length === 1 ? keys[0]! : `${keys.length} objects`, outcome: 'kept', reason });
    }
  };
  await attempt(announcements ? ['siem-dead-letters'] : [], () => moveAnnouncements(context));
  // One by one, so that what was sent before a failure is told, and Ctrl-C leaves none half done.
  for (const key of deliveries) {
    if (context.signal.aborted) throw interrupted(done, deliveries);
    await attempt([key], async () => [await redriveDelivery(context, key)]);
  }
  if (context.signal.aborted) throw interrupted(done, deliveries);
  const { connector } = await context.deployment();
  for (const each of lettersOrders(letters, connector)) {
    await attempt(each.redrive, () => redriveDeadLetters(context, each, wait));
  }
  if (failures.length > 0 && failures.length === done.length) throw failures[0];
  return done;
}

function interrupted(done: readonly Redriven[], deliveries: readonly string[]): InterruptedError {
  const dealtWith = done.filter(({ key, outcome }) => deliveries.includes(key) && outcome !== 'kept').length;
  return new InterruptedError(
    `Interrupted. The events of ${dealtWith} of ${deliveries.length} objects were sent again and the objects deleted; ` +
      'the rest is where it was.',
  );
}

async function moveAnnouncements(context: Context): Promise<Redriven[]> {
  const { status, moved } = await moveBack(context, 'siem-dead-letters');
  const outcome = status === 'COMPLETED' || status === 'RUNNING' ? 'sent' : 'kept';
  return [
    {
      key: 'siem-dead-letters',
      outcome,
      events: moved,
      reason: `${moved} announcements moved, ${status.toLowerCase()}`,
    },
  ];
}
