/** The product on its real path: the real SDK clients, an API that answers after 40 ms and an AWS that answers after 10 ms. */
import path from 'node:path';
import { PROCESS_ENVIRONMENT } from '../../lib/function/function-environment.ts';
import { bundle } from '../bundle.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import { inChild, temporaryFolder } from '../processes.ts';
import { PAGE_ROWS } from '../rows.ts';

const CHILDREN = path.join(import.meta.dirname, '..', 'children');
const PAGES: Record<Size, number> = { full: 204, tiny: 2 };
const POLLS: Record<Size, number> = { full: 101, tiny: 2 };
const REMOVALS: Record<Size, readonly number[]> = { full: [100, 10_000], tiny: [3] };
const REMOVAL_SECONDS: Readonly<Record<number, number>> = { 100: 2, 10000: 60 };
const API_SECONDS = 0.04;

interface Walked {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly calls: Readonly<Record<string, number>>;
}

export const walks: Figure = {
  name: 'walk',
  title:
    'Walks with the real SDK against API (40 ms) and AWS (10 ms) in another process; floors: the time of the API alone, a bare loop that fetches and forwards, the same SDK calls without our code',
  async measure(size) {
    await using folder = await temporaryFolder('bench-walk');
    const script = path.join(folder.path, 'walk.mjs');
    await bundle(path.join(CHILDREN, 'walk.ts'), script);
    const sink = path.join(CHILDREN, 'walk-sink.ts');
    return await measured(size, (scenario, count) =>
      inChild<Walked>(script, [scenario, String(count), sink], PROCESS_ENVIRONMENT),
    );
  },
};

async function measured(
  size: Size,
  walk: (scenario: string, count: number) => Promise<Walked>,
): Promise<Measurement[]> {
  const pages = PAGES[size];
  const per100k = (walked: Walked) => (walked.cpuSeconds * 100_000) / (pages * PAGE_ROWS);
  const bare = await walk('bare', pages);
  const traffic = await walk('traffic', pages);
  const results: Measurement[] = [];
  for (const [scenario, title] of [
    ['new', 'new assets'],
    ['changed', 'changed assets'],
    ['moved', 're-delivered assets'],
  ] as const) {
    const walked = await walk(scenario, pages);
    const cpu = per100k(walked);
    const calls = Object.values(walked.calls).reduce((sum, each) => sum + each, 0);
    results.push(
      { subject: `${title}: time`, value: walked.seconds, floor: pages * API_SECONDS, unit: 's', target: 1.15 },
      { subject: `${title}: CPU of 100,000`, value: cpu, unit: 's', ...(scenario !== 'moved' && { target: 5 }) },
      { subject: `${title}: CPU against a bare loop`, value: cpu, floor: per100k(bare), unit: 's' },
      { subject: `${title}: calls to AWS`, value: calls / pages, unit: 'a page' },
      { subject: `${title}: peak memory`, value: walked.peakMegabytes, unit: 'MB', target: 200 },
    );
    if (scenario === 'new')
      results.push({
        subject: `${title}: CPU against the calls alone`,
        value: cpu,
        floor: per100k(traffic),
        unit: 's',
      });
  }
  const polls = await walk('polls', POLLS[size]);
  results.push({
    subject: `${POLLS[size]} polls without changes: CPU`,
    value: polls.cpuSeconds,
    unit: 's',
    target: 2.9,
  });
  for (const count of REMOVALS[size]) {
    const { seconds } = await walk('removals', count);
    results.push({ subject: `${count} removals`, value: seconds, unit: 's', target: REMOVAL_SECONDS[count] ?? 2 });
  }
  return results;
}
