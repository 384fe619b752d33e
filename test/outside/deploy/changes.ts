/** Changes by a cloud engineer as in docs/lifecycle.md and docs/runbook.md: another bucket, a restored table, another name, lost objects. */
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { code, page, section } from '../../documents/pages.ts';
import type { Account, Deployment, Options } from './account.ts';
import { assertCopy, forwarded, notifyTopic, secretOf, setCredentials } from './acts.ts';
import { runBlock } from './runbook.ts';
import { createReader, openSiem } from './siem.ts';
import type { Story } from './story.ts';

const OPTIONS: Options = { enabled: false };

interface SentEvent {
  readonly kind: string;
  readonly id: string;
  readonly row?: unknown;
  readonly sequence: string;
}

export async function changes(account: Account, story: Story): Promise<void> {
  const { step } = story;
  const { simulator } = account.api;
  simulator.populate({ assets: 120, threats: 80, dnsBlocks: 40 });
  const acme = await step('bootstrap, deploy, set-credentials, run', async () => {
    await account.bootstrap();
    const deployed = await account.deploy(OPTIONS);
    await setCredentials(deployed, account);
    await deployed.json(['run']);
    return deployed;
  });
  const siem = openSiem(acme, await createReader(acme));
  await siem.read();
  await step('A bucket that lost objects: the delete markers are removed, and the SIEM reads them', async () => {
    simulator.put('assets', { id: 'asset-3', changed: 'then the object is deleted' });
    await acme.json(['run']);
    const [newest] = await newestObjects(acme);
    await new S3Client({ forcePathStyle: true }).send(
      new DeleteObjectCommand({ Bucket: acme.outputs['BucketName'], Key: newest }),
    );
    const [message] = await siem.receive({ wait: 1, most: 1 });
    await assert.rejects(siem.take(message!), /NoSuchKey/);
    for (const block of code(section(page('docs/runbook.md'), '## A bucket that lost objects'), 'sh'))
      await runBlock(account, block);
    assert.equal((await siem.take(message!)).length, 1);
    await siem.remove(message!);
    await siem.read();
    assertCopy(siem, account);
  });
  const moved = await step('Move it to another bucket: nothing is sent again, and the SIEM reads on', async () => {
    const Bucket = 'another-bucket-of-acme';
    await new S3Client({ forcePathStyle: true }).send(new CreateBucketCommand({ Bucket }));
    const after = await account.deploy({ ...OPTIONS, bucketArn: `arn:aws:s3:::${Bucket}` });
    await notifyTopic(after);
    assert.equal(after.outputs['SiemQueueUrl'], acme.outputs['SiemQueueUrl']);
    assert.equal(forwarded(await after.json(['run'])), 0);
    simulator.put('assets', { id: 'asset-4', changed: 'in the other bucket' });
    assert.equal(forwarded(await after.json(['run'])), 1);
    const siem = openSiem(after, await createReader(after));
    assert.match((await siem.read()).join(), /in the other bucket/);
    return after;
  });
  await step(
    'A table restored from a backup: rows and removals sent since are sent again, as newer events',
    async () => {
      const table = await backUp(moved);
      const siem = openSiem(moved, await createReader(moved));
      simulator.put('assets', { id: 'asset-5', changed: 'after the backup' });
      simulator.remove('assets', 'asset-6');
      const sent = forwarded(await moved.json(['run']));
      await siem.read();
      const restored = await account.deploy({ ...OPTIONS, bucketArn: bucketOf(moved), stateTableArn: table });
      await notifyTopic(restored);
      const again = forwarded(await restored.json(['run']));
      assert.equal(again, sent);
      assert.equal((await restored.ctl(['verify', '--wait', '0'])).status, 0);
      const lines = siem.lines.length;
      await siem.read();
      const events = siem.lines.map((line): SentEvent => JSON.parse(line));
      const [before, after] = [events.slice(0, lines), events.slice(lines)];
      const contents = (of: readonly SentEvent[]) => of.map(({ kind, id, row }) => JSON.stringify([kind, id, row]));
      assert.deepEqual(contents(after).sort(), contents(before).sort());
      const sequences = (of: readonly SentEvent[]) => of.map(({ sequence }) => sequence).sort();
      assert(sequences(after)[0]! > sequences(before).at(-1)!, 'An event is not newer.');
      story.note(`${again} events`);
    },
  );
  await step(
    'Rename it: with the old table, bucket and secret, and everything sent again under the new name',
    async () => {
      const kept = {
        bucketArn: bucketOf(moved),
        stateTableArn: await backUp(moved),
        secretArn: secretOf(moved.outputs),
      };
      const renamed = await account.deploy({ ...OPTIONS, ...kept, name: 'acme-emea' });
      await notifyTopic(renamed);
      assert.equal(forwarded(await renamed.json(['run'])), 0);
      await renamed.json(['resync', 'assets', 'threats', 'dns-blocks', '--send-all', '--yes']);
      const siem = openSiem(renamed, await createReader(renamed));
      await siem.read();
      assertCopy(siem, account);
      assert(siem.lines.every(line => JSON.parse(line).connector === 'acme-emea'));
    },
  );
}

function bucketOf({ outputs }: Deployment): string {
  return `arn:aws:s3:::${outputs['BucketName']}`;
}

async function newestObjects({ outputs }: Deployment): Promise<string[]> {
  const list = new ListObjectsV2Command({ Bucket: outputs['BucketName'], Prefix: 'events/' });
  const { Contents = [] } = await new S3Client({ forcePathStyle: true }).send(list);
  return Contents.toSorted((a, b) => Number(b.LastModified) - Number(a.LastModified)).map(({ Key }) => Key!);
}

async function itemsOf({ outputs }: Deployment) {
  const pages = paginateScan({ client: new DynamoDBClient() }, { TableName: outputs['StateTableName'] });
  const items: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
}

/** A backup restored as a new table. @returns its ARN */
async function backUp(acme: Deployment): Promise<string> {
  const client = new DynamoDBClient();
  const TableName = `restored-${randomUUID().slice(0, 8)}`;
  const key = (name: string, type: 'HASH' | 'RANGE') => ({ AttributeName: name, KeyType: type });
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map(name => ({ AttributeName: name, AttributeType: 'S' as const })),
      KeySchema: [key('pk', 'HASH'), key('sk', 'RANGE')],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
  for (const Item of await itemsOf(acme)) await client.send(new PutItemCommand({ TableName, Item }));
  return TableDescription!.TableArn!;
}
