/** One core's share of the histories. */
import { parentPort } from 'node:worker_threads';
import { type Batch, runBatch } from './batch.ts';
import { ViewsJudge } from './oracle/views.ts';

const views = ViewsJudge.open();

parentPort?.on('message', async (batch: Batch) => {
  parentPort?.postMessage(await runBatch(batch, await views));
});
