/** Drains so many rows, each made when its page is asked for and forgotten when it is sent; prints the peak memory. */
import { cursorOf, pageNumber, streamOf } from '../estate.ts';
import { answerBytes, type BenchStream, PAGE_ROWS, pageOfRows } from '../rows.ts';
import { createSimulation } from '../simulated-world.ts';

/** Share of each stream in the rows. */
const SHARES: Record<BenchStream, number> = { assets: 0.2, threats: 0.5, 'dns-blocks': 0.3 };

const rows = Number(process.argv[2]);

function page(path: string, cursor: string | null): Uint8Array<ArrayBuffer> {
  const stream = streamOf(path);
  const number = pageNumber(cursor);
  const last = Math.ceil((rows * SHARES[stream]) / PAGE_ROWS) - 1;
  return answerBytes(pageOfRows(stream, number), number < last ? cursorOf(number + 1) : null);
}

const begun = performance.now();
const { streams } = await createSimulation({ page, remembers: false }).run();
const forwarded = Object.values(streams).reduce((sum, each) => sum + each.forwarded, 0);
const seconds = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ forwarded, seconds, peakMegabytes: process.resourceUsage().maxRSS / 1024 }));
