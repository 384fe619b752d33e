/**
 * Generates deployments that change the filters of a history, and histories in which rows are refreshed:
 *
 *     filter of assets: none               the SIEM has all of them
 *     deployed: without content 1          rows that have it are withdrawn, and new ones are not sent
 *     a row changes to content 1, another one from it
 *     deployed: without contents 0 and 2   the stream is read again
 *
 * It has a random stream of its own, so that other histories stay as they are.
 */
import type { Filters, History, Step } from './history.ts';
import { Random } from './random.ts';
import { KINDS_OF_CONTENT } from './simulated/selection.ts';

/** Histories take minutes of virtual time: 9 s to 3 minutes. */
const REFRESH_DAYS = [0.0001, 0.0005, 0.002];

export function withFilters(history: History): History {
  const random = new Random(history.seed ^ 0xf117);
  const changes = random.int(1, 4);
  const steps: Step[] = [...history.steps];
  for (let change = 0; change < changes; change++) {
    steps.splice(random.int(0, steps.length), 0, { kind: 'filters', filters: randomFilters(random) });
  }
  return {
    ...history,
    steps,
    // No state says which blocks were sent: their filter stays as it is.
    filters: { ...randomFilters(random), blocks: random.chance(0.5) ? [1] : [] },
    ...(random.chance(0.5) && !mayRevive(history) && { refreshDays: random.pick(REFRESH_DAYS) }),
  };
}

/**
 * A row state that lands after the lease of its run may say that a removed row is live. Where the platform also lists the row as it was, a
 * refresh believes both (docs/limits.md).
 */
function mayRevive({ platform, steps }: History): boolean {
  return (
    platform.retention === 'every-version' && steps.some(step => step.kind === 'tick' && step.releases !== undefined)
  );
}

function randomFilters(random: Random): Filters {
  const some = () => KINDS_OF_CONTENT.map((_, kind) => kind).filter(() => random.chance(0.35));
  return { assets: some(), threats: some(), faulty: random.chance(0.15) };
}
