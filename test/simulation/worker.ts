/** One core's share of the histories. */
import { parentPort } from 'node:worker_threads';
import { type Batch, runBatch } from './check.ts';
import { ViewsCheck } from './oracle/views.ts';

const views = ViewsCheck.open();

parentPort?.on('message', async (batch: Batch) => {
  parentPort?.postMessage(await runBatch(batch, await views));
});
