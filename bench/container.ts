/**
 * Runs a container of the function. Each message of the parent process is an event, for which the
 * handler of a module is called.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export interface ContainerRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak memory of the process so far. */
  readonly peakMegabytes: number;
  readonly error?: string;
}

const LIMIT_MILLISECONDS = 3_600_000;

const { handler } = await import(pathToFileURL(process.argv[2]!).href);

process.on('message', async event => {
  const begun = performance.now();
  const before = process.cpuUsage();
  const end = Date.now() + LIMIT_MILLISECONDS;
  const outcome = await handler(event, { getRemainingTimeInMillis: () => end - Date.now() }).catch(String);
  const { user, system } = process.cpuUsage(before);
  const error = typeof outcome === 'string' ? outcome : outcome?.more ? 'The run did not reach the end' : undefined;
  const run: ContainerRun = {
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: peakMegabytes(),
    ...(error !== undefined && { error }),
  };
  process.send!(run);
});

/**
 * Peak memory of this process. On Linux `resourceUsage().maxRSS` survives `exec`, so a process that
 * a large process has started would report the peak of its parent.
 */
function peakMegabytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
}
