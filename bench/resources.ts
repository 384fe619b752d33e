import { existsSync, readFileSync } from 'node:fs';

/** CPU time of this process, all its threads, in microseconds. Lambda rations it by memory size. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const STATUS = '/proc/self/status';

/**
 * Peak resident memory of this process, in MB. On Linux, `resourceUsage().maxRSS` survives `exec`, so a process that a large
 * one started would report the peak of its parent.
 */
export function peakMegabytes(): number {
  const own = existsSync(STATUS) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(STATUS, 'utf8'))?.[1] : undefined;
  return (own === undefined ? process.resourceUsage().maxRSS : Number(own)) / 1024;
}
