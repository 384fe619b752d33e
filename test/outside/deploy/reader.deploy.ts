/**
 * A SIEM that knows only the stack's outputs, and reads late, twice and without success. Its final
 * copy must equal the truth.
 */
import { join } from 'node:path';
import { IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { run } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { unlikeTruth } from '../../support/promise.ts';
import { copyIn, READER } from '../../support/reader-copy.ts';
import { type Account, type Deployment, openAccount } from './account.ts';
import { assertCopy, assertTruth, liveAssets, runInSmallPages } from './acts.ts';
import { openSiem, type Siem, type User } from './siem.ts';

/** Receives without a deletion after which the queue moves a message to its dead-letter queue. */
const MAX_RECEIVES = 10;

/** A reader that takes longer hangs. */
const READER_SECONDS = 120;

const REPLAY = ['resync', 'assets', 'threats', 'dns-blocks', '--send-all', '--yes'];

let account: Account;
let acme: Deployment;
let siem: Siem;
beforeAll(async () => {
  account = await openAccount();
  account.api.simulator.populate({ assets: 400, threats: 300, dnsBlocks: 200 });
  acme = await account.deploy({ name: 'reader', enabled: false });
  await runInSmallPages(acme, account);
  siem = await openSiem(acme);
});
afterAll(async () => account[Symbol.asyncDispose]());

let late: Message;

test('a message whose deletion is refused is seen twice', async () => {
  late = (await siem.receive())!;
  const message = (await siem.receive())!;
  const lines = await siem.take(message);
  await refuseDeletions(siem.user, true);
  await expect(siem.remove(message)).rejects.toThrow(/not authorized|AccessDenied/);
  await refuseDeletions(siem.user, false);
  await siem.release(message);
  expect(await siem.read()).toEqual(expect.arrayContaining(lines));
});

test('events that are read after newer events of their rows do not change the copy', async () => {
  const { simulator } = account.api;
  const [line = '{}'] = await (await openSiem(acme)).take(late);
  const { stream, id } = JSON.parse(line) as { stream: string; id: string };
  if (stream === 'assets') simulator.put('assets', { id, changed: 'later' });
  if (stream === 'threats') simulator.put('threats', { id, asset_id: liveAssets(account)[0]!, changed: 'later' });
  simulator.remove('assets', liveAssets(account).at(-1)!);
  await acme.json(['run']);
  await siem.read();
  await siem.take(late);
  await siem.remove(late);
  expect(assertCopy(siem, account)).toBeGreaterThan(0);
});

test(`a message that is received ${MAX_RECEIVES} times goes to the dead-letter queue, which is counted`, async () => {
  account.api.simulator.put('assets', { id: liveAssets(account)[0]!, changed: 'while the reader fails' });
  await acme.json(['run']);
  for (let received = 0; received < MAX_RECEIVES; received++) await siem.release((await siem.receive())!);
  expect(await siem.receive()).toBeUndefined();
  const { status, stdout } = await acme.ctl(['dead-letters', 'list']);
  expect(status).toBe(3);
  expect(stdout).toMatch(/^queue +siem-dead-letters +1/m);
});

test('a message that is moved back by hand is read', async () => {
  const operator = new SQSClient();
  const QueueUrl = acme.outputs['SiemDeadLetterQueueUrl'];
  const { Messages: [message] = [] } = await operator.send(new ReceiveMessageCommand({ QueueUrl }));
  const { Body: MessageBody, ReceiptHandle } = message!;
  await operator.send(new SendMessageCommand({ QueueUrl: acme.outputs['SiemQueueUrl'], MessageBody }));
  await operator.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  expect((await siem.read(5)).length).toBe(1);
  assertCopy(siem, account);
  expect((await acme.ctl(['dead-letters', 'list'])).status).toBe(0);
});

test('another reader has the same copy after a replay', async () => {
  const other = await openSiem(acme);
  await acme.json(REPLAY);
  await other.read();
  // Removed assets come as tombstones. A new reader does not know threats that were withdrawn
  // before the replay.
  assertTruth(other, account);
});

test('examples/reader with the policy of the reader alone has a copy that equals the truth', async () => {
  await acme.json(REPLAY);
  await using folder = await temporaryFolder('reader-');
  const database = join(folder.path, 'events.db');
  const args = [READER, '--queue-url', acme.outputs['SiemQueueUrl']!, '--database', database, '--once'];
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = siem.user;
  const environment = { ...account.environment, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  const { status, stderr } = await run(account.python, args, READER_SECONDS, { environment });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(unlikeTruth(copyIn(database), account.api.simulator.truth())).toEqual([]);
});

async function refuseDeletions({ name: UserName }: User, refused: boolean): Promise<void> {
  const Statement = [{ Effect: refused ? 'Deny' : 'Allow', Action: 'sqs:DeleteMessage', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await new IAMClient().send(new PutUserPolicyCommand({ UserName, PolicyName: 'deletions', PolicyDocument }));
}
