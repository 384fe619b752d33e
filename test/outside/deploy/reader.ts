/** A SIEM that knows only the stack's outputs, and reads late, twice and without success. Its final copy must equal the truth. */
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { run } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { unlikeTruth } from '../../support/promise.ts';
import { copyIn, READER } from '../../support/reader-copy.ts';
import type { Account, Deployment } from './account.ts';
import { assertCopy, assertTruth, liveAssets, setCredentials, setVariables } from './acts.ts';
import { type Credentials, createReader, openSiem, type Siem } from './siem.ts';
import type { Story } from './story.ts';

/** Receives without a deletion after which the queue moves a message to its dead-letter queue. */
const MAX_RECEIVES = 10;

/** A reader that takes longer hangs. */
const READER_SECONDS = 120;

export async function reader(account: Account, { step, note }: Story): Promise<void> {
  const { simulator } = account.api;
  simulator.populate({ assets: 400, threats: 300, dnsBlocks: 200 });
  const acme = await step('bootstrap, deploy, set-credentials, run', async () => {
    await account.bootstrap();
    const deployed = await account.deploy();
    await setVariables(deployed, { PAGE_LIMIT: '100' });
    await deployed.json(['pause']);
    await setCredentials(deployed, account);
    await deployed.json(['run']);
    return deployed;
  });
  const credentials = await createReader(acme);
  const siem = openSiem(acme, credentials);
  const late = await step('the reader receives a first message and is slow: it is left for later', async () => {
    const [message] = await siem.receive({ wait: 1, most: 1 });
    return message!;
  });
  const twice = await step('the deletion of a message is refused: it is seen twice', async () => {
    const [message] = await siem.receive({ most: 1 });
    await siem.take(message!);
    await refuseDeletions(credentials, true);
    await assert.rejects(siem.remove(message!), /not authorized|AccessDenied/);
    await refuseDeletions(credentials, false);
    await release(acme, siem, message!);
    return message!;
  });
  await step('the rest is read, with the message seen twice', async () => {
    let seen = 0;
    for (let messages = await siem.receive({ wait: 1 }); messages.length > 0; messages = await siem.receive()) {
      for (const message of messages) {
        if (message.MessageId === twice.MessageId) seen += 1;
        await process(siem, message);
      }
    }
    assert.equal(seen, 1);
    note(`${siem.lines.length} lines`);
  });
  await step('rows of the late message change meanwhile, and their events are read first', async () => {
    const [line = '{}'] = await openSiem(acme, credentials).take(late);
    const { stream, id } = JSON.parse(line) as { stream: string; id: string };
    if (stream === 'assets') simulator.put('assets', { id, changed: 'later' });
    if (stream === 'threats') simulator.put('threats', { id, asset_id: liveAssets(account)[0]!, changed: 'later' });
    simulator.remove('assets', liveAssets(account).at(-1)!);
    await acme.json(['run']);
    await siem.read();
  });
  await step('the late message is read at last: the greater sequence wins, and the copy equals the truth', async () => {
    await process(siem, late);
    const repeats = assertCopy(siem, account);
    assert(repeats > 0);
    note(`${repeats} events seen twice`);
  });
  await step(
    `a message that is received ${MAX_RECEIVES} times goes to the dead-letter queue, which is counted`,
    async () => {
      simulator.put('assets', { id: liveAssets(account)[0]!, changed: 'while the reader fails' });
      await acme.json(['run']);
      for (let received = 0; received < MAX_RECEIVES; received++) {
        const [message] = await siem.receive({ wait: 1 });
        await release(acme, siem, message!);
      }
      assert.deepEqual(await siem.receive({ wait: 1 }), []);
      const { status, stdout } = await acme.ctl(['dead-letters', 'list']);
      assert.equal(status, 3);
      assert.match(stdout, /^queue +siem-dead-letters +1/m);
    },
  );
  await step('moved by hand, the reader gets it again', async () => {
    const operator = new SQSClient();
    const QueueUrl = acme.outputs['SiemDeadLetterQueueUrl'];
    const { Messages: [message] = [] } = await operator.send(new ReceiveMessageCommand({ QueueUrl }));
    const { Body: MessageBody, ReceiptHandle } = message!;
    await operator.send(new SendMessageCommand({ QueueUrl: acme.outputs['SiemQueueUrl'], MessageBody }));
    await operator.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    assert.equal((await siem.read(5)).length, 1);
    assertCopy(siem, account);
    assert.equal((await acme.ctl(['dead-letters', 'list'])).status, 0);
  });
  await step('another reader, from the beginning, by replay: the same copy', async () => {
    const other = openSiem(acme, credentials);
    await acme.json(['resync', 'assets', 'threats', 'dns-blocks', '--send-all', '--yes']);
    await other.read();
    // Removed assets come as tombstones. A new reader does not know threats that were withdrawn before the replay.
    assertTruth(other, account);
    note(`${other.lines.length} lines`);
  });
  await step('examples/reader, with the policy of the reader alone: what exists now equals the truth', async () => {
    await acme.json(['resync', 'assets', 'threats', 'dns-blocks', '--send-all', '--yes']);
    await using folder = await temporaryFolder('reader-');
    const database = join(folder.path, 'events.db');
    const args = [READER, '--queue-url', acme.outputs['SiemQueueUrl']!, '--database', database, '--once'];
    const keys = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };
    const environment = { ...account.environment, ...keys };
    const { status, stderr } = await run(account.python, args, READER_SECONDS, { environment });
    assert.equal(`${status} ${stderr}`, '0 ');
    assert.deepEqual(unlikeTruth(copyIn(database), [...simulator.truthText()].join('')), []);
  });
}

async function process(siem: Siem, message: Message): Promise<void> {
  await siem.take(message);
  await siem.remove(message);
}

/** Visible again at once, as after the visibility timeout. */
async function release({ outputs }: Deployment, siem: Siem, { ReceiptHandle }: Message): Promise<void> {
  const QueueUrl = outputs['SiemQueueUrl'];
  await siem.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
}

async function refuseDeletions({ name }: Credentials & { readonly name: string }, refused: boolean): Promise<void> {
  const Statement = [{ Effect: refused ? 'Deny' : 'Allow', Action: 'sqs:DeleteMessage', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await new IAMClient().send(new PutUserPolicyCommand({ UserName: name, PolicyName: 'deletions', PolicyDocument }));
}
