/** Drains the API at a URL. Prints the peak memory of this process and what is alive at the end. */
import { peakMegabytes } from '../resources.ts';
import { createSimulation } from '../simulation.ts';

const begun = performance.now();
const { streams } = await createSimulation({ page: process.argv[2]!, remembers: false }).run();
const forwarded = Object.values(streams).reduce((sum, each) => sum + each.forwarded, 0);
const seconds = (performance.now() - begun) / 1000;
const peak = peakMegabytes();
(globalThis as unknown as { gc(): void }).gc();
const { heapUsed, external } = process.memoryUsage();
const liveMegabytes = (heapUsed + external) / 1024 / 1024;
console.log(JSON.stringify({ forwarded, seconds, peakMegabytes: peak, liveMegabytes }));
