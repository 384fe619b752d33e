import { existsSync, readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/**
 * Peak resident memory of this process, in MB. Not `resourceUsage().maxRSS` where it can be helped: on Linux that outlives
 * `exec`, so that a process started by a large one would report the peak of its parent.
 */
export function peakMegabytes(): number {
  const own = existsSync(STATUS) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(STATUS, 'utf8'))?.[1] : undefined;
  return (own === undefined ? process.resourceUsage().maxRSS : Number(own)) / 1024;
}
