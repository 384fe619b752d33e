/**
 * CPU of a drain with the real SDK against a sink on loopback, and of the same traffic without our code. For the latter the
 * pages are fetched as text, and the same clients send the recorded commands again. Prints both, in ms a page.
 */
import path from 'node:path';
import { type AwsClients, createAwsClients } from '../../lambda/aws.ts';
import { serving } from '../processes.ts';
import { recorder, type SentAgain } from '../recorder.ts';
import { cpuTimeOf } from '../resources.ts';
import { cursorOf } from '../rows.ts';
import { createContainer, SETTINGS, SYSTEM } from '../simulation.ts';

const [stream = 'assets', pages = '40', rounds = '3'] = process.argv.slice(2);

using sink = await serving<string>(path.join(import.meta.dirname, 'sink.ts'), [pages]);
console.log(JSON.stringify(await measure(sink.line)));

async function measure(url: string) {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  });
  const clients = createAwsClients({ s3PathStyle: true, leaseSeconds: 60 });
  const drained = await recorded(clients, url);
  let ours = 0;
  let floor = 0;
  for (let round = 0; round < Number(rounds); round++) {
    ours += await cpuTimeOf(() => drain(clients, url));
    floor += await cpuTimeOf(() => traffic(drained, url));
  }
  const perPage = 1000 * Number(pages) * Number(rounds);
  return { ours: ours / perPage, floor: floor / perPage };
}

/** Drains once, also to warm up. @returns what was sent. */
async function recorded(clients: AwsClients, url: string): Promise<readonly SentAgain[]> {
  const { sent, recording } = recorder();
  const { dynamodb, firehose } = clients;
  await drain({ ...clients, dynamodb: recording(dynamodb), firehose: recording(firehose) }, url);
  return sent;
}

async function drain(aws: AwsClients, url: string): Promise<void> {
  const clients = { ...aws, ...SYSTEM, fetch: (input: string, init?: RequestInit) => fetch(input, init) };
  const run = createContainer({ ...SETTINGS, baseUrl: url, authUrl: url }, clients);
  const { more } = await run([stream]);
  if (more) throw new Error('The drain did not reach the end');
}

/** As many calls at a time as belong to one page. */
async function traffic(sent: readonly SentAgain[], url: string): Promise<void> {
  const atOnce = Math.ceil(sent.length / Number(pages));
  for (let page = 0; page < Number(pages); page++) {
    const cursor = page === 0 ? '' : `&cursor=${encodeURIComponent(cursorOf(page))}`;
    const answer = await fetch(`${url}/v1/${stream}?limit=500${cursor}`, {
      headers: { authorization: 'Bearer token' },
    });
    await answer.text();
    await Promise.all(sent.slice(page * atOnce, (page + 1) * atOnce).map(send => send()));
  }
}
