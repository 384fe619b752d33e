/**
 * CPU of a drain with the real SDK against a sink on loopback, and of the same traffic without our code: the pages are
 * fetched as text, and the commands of the drain are sent again by the same clients. Prints both, in ms a page.
 */
import path from 'node:path';
import { type AwsClients, createAwsClients, type Sender } from '../../lambda/aws.ts';
import { type Clients, createContainerTokens } from '../../lambda/compose.ts';
import { invoke } from '../../lambda/invocation.ts';
import { sha256, systemClock } from '../../lambda/system.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import { cursorOf } from '../estate.ts';
import { serving } from '../serving.ts';
import { SETTINGS } from '../simulated-world.ts';

const [stream = 'assets', pages = '40', rounds = '3'] = process.argv.slice(2);
const HOUR = 3_600_000;

using sink = await serving<string>(path.join(import.meta.dirname, 'sink.ts'), [pages]);
console.log(JSON.stringify(await measure(sink.told)));

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

type Sent = () => Promise<unknown>;

/** Drains once, also to warm up. @returns what was sent. */
async function recorded(clients: AwsClients, url: string): Promise<Sent[]> {
  const sent: Sent[] = [];
  const recording = (client: Sender): Sender => ({
    send(command) {
      const { constructor: Command, input } = command;
      sent.push(() => client.send(new Command(input)));
      return client.send(command);
    },
  });
  const { dynamodb, firehose } = clients;
  await drain({ ...clients, dynamodb: recording(dynamodb), firehose: recording(firehose) }, url);
  return sent;
}

async function drain(aws: AwsClients, url: string): Promise<void> {
  const settings = { ...SETTINGS, baseUrl: url, authUrl: url };
  const clients: Clients = {
    ...aws,
    fetch: (input, init) => fetch(input, init),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const tokens = createContainerTokens(settings, clients);
  const invoker = { settings, clients, tokens, telemetry: { report: () => undefined }, memory: () => 0 };
  const { more } = await invoke({ streams: [stream] }, { getRemainingTimeInMillis: () => HOUR }, invoker);
  if (more) throw new Error('The drain did not reach the end');
}

/** As many calls at a time as belong to one page. */
async function traffic(sent: readonly Sent[], url: string): Promise<void> {
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
