/** The deployed handler in a process: every message of the parent starts a run, and its times are sent back. */
import { handler } from '../lambda/handler.ts';

/** What one run took, in milliseconds. */
export interface RunTimes {
  readonly wall: number;
  readonly cpu: number;
  readonly error?: string;
}

process.on('message', async () => {
  const begun = performance.now();
  const before = process.cpuUsage();
  const end = Date.now() + 900_000;
  const error = await handler({}, { getRemainingTimeInMillis: () => end - Date.now() }).then(
    () => undefined,
    (reason: unknown) => String(reason),
  );
  const { user, system } = process.cpuUsage(before);
  const times: RunTimes = { wall: performance.now() - begun, cpu: (user + system) / 1000, ...(error && { error }) };
  process.send?.(times);
});
