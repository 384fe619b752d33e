import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DescribeDeliveryStreamCommand, FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { describe, expect, test } from '@jest/globals';
import { deliveredObjects } from '../../local/aws/delivered.ts';
import type { Endpoints } from './endpoints.ts';
import { clientConfig, started } from './started.ts';

const STREAM = 'security-data-connector';

function batch(...sizes: number[]) {
  return new PutRecordBatchCommand({
    DeliveryStreamName: STREAM,
    Records: sizes.map((size, index) => ({ Data: Buffer.alloc(size, 97 + (index % 26)) })),
  });
}

function lines(...texts: string[]) {
  const Records = texts.map(text => ({ Data: Buffer.from(`${text}\n`) }));
  return new PutRecordBatchCommand({ DeliveryStreamName: STREAM, Records });
}

async function deliveredText(aws: Endpoints): Promise<string> {
  const files = await deliveredObjects(aws.deliveredFolder);
  const texts = await Promise.all(files.map(async file => gunzipSync(await readFile(file)).toString()));
  return texts.join('');
}

describe('Firehose accepts records', () => {
  test('in calls at the limits, and refuses calls beyond them as a whole', async () => {
    await using running = await started();
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    const full = [1_024_000, 1_024_000, 1_024_000, 1_024_000, 98_304];
    for (const sizes of [Array(500).fill(1), [1_024_000], full]) {
      expect(await client.send(batch(...sizes))).toMatchObject({ FailedPutCount: 0 });
    }
    await expect(client.send(batch(...Array(501).fill(1)))).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(client.send(batch(1_024_001))).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(client.send(batch(...full, 1))).rejects.toMatchObject({ name: 'InvalidArgumentException' });
    expect(running.calls.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 400]);
  });

  test('but not for an unknown stream: ResourceNotFoundException', async () => {
    await using running = await started();
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    const command = new PutRecordBatchCommand({ DeliveryStreamName: 'other', Records: [{ Data: Buffer.from('x') }] });
    await expect(client.send(command)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Firehose other under account 000000000000 not found.',
    });
  });
});

describe('Firehose delivers', () => {
  test('acknowledged records at once by default, laid out as in S3', async () => {
    await using running = await started({ now: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    await client.send(lines('{"a":1}', '{"b":"ü\u2028"}'));
    const [file = '', ...more] = await deliveredObjects(running.aws.deliveredFolder);
    expect(more).toEqual([]);
    expect(relative(running.aws.deliveredFolder, file)).toMatch(
      /^2026\/01\/02\/03\/security-data-connector-1-2026-01-02-03-04-05-[0-9a-f-]{36}\.json\.gz$/,
    );
    expect(await deliveredText(running.aws)).toBe('{"a":1}\n{"b":"ü\u2028"}\n');
  });

  test('buffered records when it is flushed, in one object, in the order of arrival', async () => {
    await using running = await started({ buffering: { bytes: 1_000_000, milliseconds: 900_000 } });
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    for (const text of ['1', '2', '3']) await client.send(lines(text));
    expect(await deliveredObjects(running.aws.deliveredFolder)).toEqual([]);
    await running.aws.delivery.flush();
    expect(await deliveredText(running.aws)).toBe('1\n2\n3\n');
    expect(await deliveredObjects(running.aws.deliveredFolder)).toHaveLength(1);
  });

  test('buffered records when it is closed', async () => {
    await using running = await started({ buffering: { bytes: 1_000_000, milliseconds: 900_000 } });
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    await client.send(lines('last'));
    await running.aws.close();
    expect(await deliveredText(running.aws)).toBe('last\n');
  });
});

describe('an injected fault', () => {
  test('loses a request without effect, or an answer after its effect', async () => {
    await using running = await started();
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    running.aws.faults.next('firehose', { loseRequest: true }, { loseAnswer: true });
    await expect(client.send(lines('request lost'))).rejects.toThrow(/ECONNRESET|socket hang up/);
    await expect(client.send(lines('answer lost'))).rejects.toThrow(/ECONNRESET|socket hang up/);
    expect(await deliveredText(running.aws)).toBe('answer lost\n');
    expect(running.calls.map(({ status }) => status)).toEqual([0, 0]);
  });
});

describe('DescribeDeliveryStream', () => {
  test('describes the active stream, its buffer and its destination', async () => {
    await using running = await started({
      buffering: { bytes: 5 * 1024 * 1024, milliseconds: 60_000 },
      now: () => 1_000_000,
    });
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    const answer = await client.send(new DescribeDeliveryStreamCommand({ DeliveryStreamName: STREAM }));
    expect(answer.DeliveryStreamDescription).toMatchObject({
      DeliveryStreamName: STREAM,
      DeliveryStreamARN: `arn:aws:firehose:us-east-1:000000000000:deliverystream/${STREAM}`,
      DeliveryStreamStatus: 'ACTIVE',
      DeliveryStreamType: 'DirectPut',
      CreateTimestamp: new Date(1_000_000),
      HasMoreDestinations: false,
    });
    expect(answer.DeliveryStreamDescription!.Destinations![0]!.ExtendedS3DestinationDescription).toMatchObject({
      BucketARN: 'arn:aws:s3:::security-data',
      Prefix: 'events/!{timestamp:yyyy/MM/dd/HH}/',
      BufferingHints: { SizeInMBs: 5, IntervalInSeconds: 60 },
      CompressionFormat: 'GZIP',
    });
    expect(running.calls[0]!.permission).toBe('firehose:DescribeDeliveryStream');
  });
});
