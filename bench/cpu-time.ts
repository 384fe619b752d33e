/** CPU time of this process, all its threads, in microseconds: what Lambda rations by memory size. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = cpuTime();
  await work();
  return cpuTime() - before;
}
