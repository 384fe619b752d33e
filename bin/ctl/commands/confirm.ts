/** The command `confirm`, for changes that wait for the decision of an operator. */
import { Argument, Command } from 'commander';
import { waitingWithdrawalsOf, withdrawalsDigest } from '../../../lambda/core/guard.ts';
import { isBegun, ORGANIZATION_PARTS } from '../../../lambda/core/organization.ts';
import { sha256 } from '../../../lambda/system.ts';
import { CONNECTORCTL } from '../../../lib/installation.ts';
import { openAccess } from '../access.ts';
import { helpText, type RunAction, waitOption } from '../command.ts';
import { requireConfirmation } from '../confirm.ts';
import type { Context } from '../context.ts';
import { sendCommand } from '../function-command.ts';
import type { FunctionCommand } from '../invoke.ts';
import { readOrganization } from '../organization.ts';
import type { CommandOutcome } from '../report.ts';
import { describeTable, readState, WAITING_CAUSES } from '../state.ts';
import { tableText } from '../text.ts';

/**
 * A decision and the command that carries it out. The command contains a digest of the changes that
 * are shown, so that no other change is confirmed.
 */
interface Decision {
  readonly text: string;
  readonly json: object;
  readonly command: FunctionCommand;
}

/** A subject that waits for a decision. To add a subject, add an entry to `SUBJECTS`. */
interface Subject {
  /** Help text, which explains the subject and the meaning of its confirmation. */
  readonly help: string;
  /** Reads the subject's state. @returns the decision, or the reason why no decision waits */
  readonly decide: (context: Context) => Promise<Decision | string>;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  organization: {
    help: `organization: after a change of the token endpoint, base URL or client, runs that cannot prove that the organization is the same
fail with OrganizationChangedError and send nothing: docs/runbook.md#another-organization. The confirmation holds for the addresses
and the client that are shown. If they change again before the function reads it, the function refuses it.`,
    decide: organization,
  },
  withdrawals: {
    help: `withdrawals: a changed filter, a resync or reconcileDays withdraws at most 500 rows or a tenth of a stream by itself, whichever is
more, and never more than half of it. The rest waits, and new changes are sent meanwhile: docs/runbook.md#mass-withdrawal. The
confirmation holds for the withdrawals that are shown. If more wait when the function reads it, the function refuses it.`,
    decide: withdrawals,
  },
};

interface ConfirmOptions {
  readonly yes?: true;
  readonly wait: number;
}

export function confirmCommand(run: RunAction): Command {
  const names = Object.keys(SUBJECTS);
  const meaning = Object.values(SUBJECTS).map(subject => subject.help);
  const samples = names.flatMap(name => [`confirm ${name}`, `confirm ${name} --connector acme --yes`]);
  return new Command('confirm')
    .description('show a decision that waits for you, and confirm it')
    .addArgument(new Argument('<subject>', 'what to confirm').choices(names))
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText('after', helpText(meaning.join('\n'), ...samples))
    .action(run(confirm));
}

/**
 * @throws RefusedError if the operator does not confirm the decision; the errors of `sendCommand`
 */
async function confirm(context: Context, name: string, options: ConfirmOptions): Promise<CommandOutcome> {
  const decision = await SUBJECTS[name]!.decide(context);
  if (typeof decision === 'string') return { text: decision, json: { confirmed: null } };

  await requireConfirmation(context, decision.text, options);
  const { text, json } = await sendCommand(context, decision.command, options);
  return { text, json: { ...(json as object), confirmed: { [name]: decision.json } } };
}

async function withdrawals(context: Context): Promise<Decision | string> {
  const { aws, clock } = context;
  const { table } = await context.deployment();
  const { streams } = await readState(aws, table, clock.now());
  const checkpoints = [...streams].flatMap(([stream, saved]) =>
    saved instanceof Error ? [] : [[stream, saved.checkpoint] as const],
  );
  const waiting = waitingWithdrawalsOf(checkpoints);
  if (waiting.size === 0) return 'Nothing waits for a confirmation: no withdrawal was stopped.';

  const rows = checkpoints.flatMap(([stream, { counts, second }]) => {
    const stopped = waiting.get(stream);
    if (!stopped || !second) return [];
    const { own, children, reason } = stopped;
    return [[stream, counts.existing, second.withdrawn.own, own, children, WAITING_CAUSES[reason]].map(String)];
  });
  const text = [
    tableText(['stream', 'rows that exist', 'withdrawn', 'wait', 'their threats', 'because'], rows),
    '',
    'More than these may follow, because the second walk counts no further than the place where it stopped.',
    'After the confirmation it goes on, and withdraws everything that it finds. To keep the rows, undo the change of the filter instead.',
  ];
  const digest = withdrawalsDigest(checkpoints, sha256);
  return {
    text: text.join('\n'),
    json: { digest, waiting: Object.fromEntries(waiting) },
    command: { confirmWithdrawals: digest },
  };
}

async function organization(context: Context): Promise<Decision | string> {
  const { connector, table } = await context.deployment();
  const { saved, current, currentParts, changed, streams } = await readOrganization(context, await openAccess(context));
  if (saved === undefined) return 'Nothing waits for a confirmation: no run has saved an organization yet.';
  if (changed.length === 0) {
    return 'Nothing waits for a confirmation: addresses and client are the same as in the saved state.';
  }

  const begun = [...streams].flatMap(([stream, state]) => (isBegun(state) ? [stream] : []));
  const { ItemCount: items = 0 } = await describeTable(context.aws, table);
  const parts = ORGANIZATION_PARTS.map(part => [part, changed.includes(part) ? 'changed' : 'same', currentParts[part]]);
  const text = [
    'The addresses or the client have changed since the state was saved, so the organization may be another one.',
    '',
    tableText(['part', 'since the state was saved', 'now'], parts),
    '',
    `Streams of which events were sent: ${begun.join(', ') || 'none'}. Items in the state table: about ${items}, counted every six hours.`,
    'If runs succeed, there is nothing to confirm: the next run notes the change.',
    `After the confirmation the SIEM gets the rows of the other organization under the same name, ${connector}. The rows of the old one`,
    `stay alive in the SIEM until "${CONNECTORCTL.command} resync assets threats" withdraws them.`,
  ];
  return {
    text: text.join('\n'),
    json: { digest: current, changed, streamsSent: begun, tableItems: items },
    command: { confirmOrganization: current },
  };
}
