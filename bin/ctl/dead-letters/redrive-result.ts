import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import type { Redriven } from './redriven.ts';

const MEANING: Readonly<Record<Redriven['outcome'], string>> = {
  sent: 'sent again',
  known: 'the SIEM had it already',
  superseded: 'the SIEM has what came after',
  kept: 'kept where it was',
};

/** @returns exit status 3 when something was kept */
export function redriveOutcome(all: readonly Redriven[]): Outcome {
  if (all.length === 0) return { text: 'Nothing is set aside, so nothing was sent again.', json: { redriven: [] } };
  const counts = [...Map.groupBy(all, each => each.outcome)];
  const rows = counts.map(([outcome, group]) => [MEANING[outcome], String(group.length)]);
  const kept = all.filter(({ outcome }) => outcome === 'kept');
  const reasons = kept.map(({ key, reason }) => `${key}\n  ${reason ?? 'no reason is known'}`);
  return {
    text: [tableText(['outcome', 'count'], rows), ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n'),
    json: { redriven: all },
    status: kept.length > 0 ? 3 : 0,
  };
}
