/** Invokes the bundled function as Lambda does until it has caught up, and reports counts and resources to its parent. */
import { pathToFileURL } from 'node:url';
import type { InvocationResult } from '../../lambda/invocation.ts';
import { peakMegabytes } from '../resources.ts';

export interface FunctionReport {
  readonly invocations: number;
  readonly forwarded: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/** Lambda's own upper bound, which the stack uses. */
const TIMEOUT_MILLISECONDS = 900_000;

const { handler } = await import(pathToFileURL(process.argv[2]!).href);
const begun = performance.now();
let forwarded = 0;
let invocations = 0;
let more = true;
while (more) {
  const end = Date.now() + TIMEOUT_MILLISECONDS;
  const result: InvocationResult = await handler({}, { getRemainingTimeInMillis: () => end - Date.now() });
  invocations++;
  forwarded += Object.values(result.streams).reduce((sum, each) => sum + each.forwarded, 0);
  more = result.more;
}
const { user, system } = process.cpuUsage();
const report: FunctionReport = {
  invocations,
  forwarded,
  seconds: (performance.now() - begun) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakMegabytes: peakMegabytes(),
};
process.send!(report);
process.disconnect();
