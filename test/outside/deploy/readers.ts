/** Several readers of one connector: each is killed and started again, one reads a shared queue, and the first one goes at the end. */
import { strict as assert } from 'node:assert';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Account, Deployment } from './account.ts';
import { assertCopy, liveAssets, setCredentials } from './acts.ts';
import { ACCOUNT, REGION } from './emulator.ts';
import { createReader, openSiem, type Siem } from './siem.ts';
import type { Story } from './story.ts';

const SHARED = `arn:aws:sqs:${REGION}:${ACCOUNT}:shared-siem`;
const OPTIONS = {
  siemReaders: [
    { name: 'lake', reader: { type: 'external-id', principal: ACCOUNT, externalId: 'of-the-lake' } },
    { name: 'shared', queueArn: SHARED },
  ],
};
/** Ends of the outputs of each reader. */
const READERS = ['', 'Lake', 'Shared'] as const;

export async function readers(account: Account, { step, note }: Story): Promise<void> {
  const { simulator } = account.api;
  simulator.populate({ assets: 120, threats: 90, dnsBlocks: 60 });
  const acme = await step('bootstrap, deploy with two more readers, set-credentials', async () => {
    await account.bootstrap();
    const sqs = new SQSClient();
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'shared-siem' }));
    const deployed = await account.deploy({ ...OPTIONS, enabled: false });
    const Statement = [JSON.parse(deployed.outputs['SiemQueueStatementShared']!)];
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await setCredentials(deployed, account);
    return deployed;
  });

  const readersOfAcme = await Promise.all(READERS.map(async end => ofReader(acme, end)));
  for (const [at, reader] of readersOfAcme.entries()) {
    await step(`reader "${READERS[at]}" is killed while it reads, and starts again with every event`, async () => {
      simulator.put('assets', { id: liveAssets(account)[at]!, changed: `before reader ${at}` });
      await acme.json(['run']);
      const credentials = await createReader(reader);
      await readAndDie(reader, openSiem(reader, credentials));
      const siem = openSiem(reader, credentials);
      await siem.read();
      note(`${siem.lines.length} events, ${assertCopy(siem, account)} of them twice`);
    });
  }
  await step('status and dead-letters list name the readers', async () => {
    const { readers: listed } = await acme.json(['status'], [0, 3]);
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      ['lake'],
    );
    assert.match((await acme.ctl(['dead-letters', 'list'])).stdout, /^queue +siem-dead-letters\/lake +0/m);
  });
  await step('the first reader goes: the others read on', async () => {
    const after = await account.deploy({ ...OPTIONS, enabled: false, siemQueue: false });
    assert.equal(after.outputs['SiemQueueUrl'], undefined);
    await acme.json(['resync', 'assets', 'threats', 'dns-blocks', '--send-all', '--yes']);
    for (const end of ['Lake', 'Shared'] as const) {
      const reader = ofReader(after, end);
      const siem = openSiem(reader, await createReader(reader));
      await siem.read();
      // The queue still had the events of the last run, so some come twice.
      assertCopy(siem, account);
    }
  });
}

/** The deployment as it looks to one of its readers. */
function ofReader(deployed: Deployment, end: (typeof READERS)[number]): Deployment {
  const { outputs } = deployed;
  const own = (name: string) => ({ [name]: outputs[`${name}${end}`]! });
  const reader = { ...outputs, ...own('SiemQueueUrl'), ...own('SiemReaderPolicyArn') };
  // The output has the address in AWS, because the stack did not create this queue.
  const atEmulator = { SiemQueueUrl: `${process.env['AWS_ENDPOINT_URL']}/${ACCOUNT}/shared-siem` };
  return { ...deployed, outputs: end === 'Shared' ? { ...reader, ...atEmulator } : reader };
}

/** Reads a message and ends before it deletes it. The message is visible again at once, as after the visibility timeout. */
async function readAndDie({ outputs }: Deployment, siem: Siem): Promise<void> {
  const [message] = await siem.receive({ wait: 1, most: 1 });
  assert((await siem.take(message!)).length > 0);
  const visible = { QueueUrl: outputs['SiemQueueUrl'], ReceiptHandle: message!.ReceiptHandle, VisibilityTimeout: 0 };
  await siem.sqs.send(new ChangeMessageVisibilityCommand(visible));
}
