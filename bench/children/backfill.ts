/** Drains all that the API at a URL has; prints the peak memory of this process, and what is alive at the end of a drain. */
import { peakMegabytes } from '../peak-memory.ts';
import { createSimulation } from '../simulated-world.ts';

const begun = performance.now();
const { streams } = await createSimulation({ page: process.argv[2]!, remembers: false }).run();
const forwarded = Object.values(streams).reduce((sum, each) => sum + each.forwarded, 0);
const seconds = (performance.now() - begun) / 1000;
const peak = peakMegabytes();
(globalThis as unknown as { gc(): void }).gc();
const { heapUsed, external } = process.memoryUsage();
console.log(
  JSON.stringify({ forwarded, seconds, peakMegabytes: peak, liveMegabytes: (heapUsed + external) / 1024 / 1024 }),
);
