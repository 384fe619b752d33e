/** Creates and reads the resources of a scene in moto, with the SDK. */

import { gunzipSync } from 'node:zlib';
import { CreateDeliveryStreamCommand, DeleteDeliveryStreamCommand, FirehoseClient } from '@aws-sdk/client-firehose';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { AwsNames } from '../../../../local/aws/local-aws.ts';

export interface MotoResources {
  readonly secretArn: string;
  putSecret(value: string): Promise<void>;
  /** Every object below a prefix, unpacked if it is packed, by key. */
  objects(bucket: string, prefix: string): Promise<Map<string, string>>;
  close(): Promise<void>;
}

export async function motoResources(
  endpoint: string,
  names: AwsNames,
  secret: string | undefined,
): Promise<MotoResources> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const s3 = new S3Client({ ...config, forcePathStyle: true });
  const firehose = new FirehoseClient(config);
  const secrets = new SecretsManagerClient(config);
  const buckets = [...new Set([names.bucket, names.deadLetterBucket])];
  for (const Bucket of buckets) await s3.send(new CreateBucketCommand({ Bucket }));
  await firehose.send(new CreateDeliveryStreamCommand(streamOf(names)));
  const created = await secrets.send(new CreateSecretCommand({ Name: names.secret, SecretString: secret }));

  const keys = async (Bucket: string, Prefix: string): Promise<string[]> => {
    const all: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix }))
      all.push(...Contents.map(({ Key }) => Key!));
    return all;
  };
  const read = async (bucket: string, key: string): Promise<string> => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const bytes = Buffer.from(await Body!.transformToByteArray());
    return (isGzip(bytes) ? gunzipSync(bytes) : bytes).toString();
  };
  return {
    secretArn: created.ARN!,
    async putSecret(value) {
      await secrets.send(new PutSecretValueCommand({ SecretId: names.secret, SecretString: value }));
    },
    async objects(bucket, prefix) {
      const found = new Map<string, string>();
      for (const key of await keys(bucket, prefix)) found.set(key, await read(bucket, key));
      return found;
    },
    async close() {
      await firehose.send(new DeleteDeliveryStreamCommand({ DeliveryStreamName: names.deliveryStream }));
      await secrets.send(new DeleteSecretCommand({ SecretId: names.secret, ForceDeleteWithoutRecovery: true }));
      for (const Bucket of buckets) {
        for (const Key of await keys(Bucket, '')) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
        await s3.send(new DeleteBucketCommand({ Bucket }));
      }
      for (const client of [s3, firehose, secrets]) client.destroy();
    },
  };
}

/** As in the stack, with the properties that moto uses. */
function streamOf(names: AwsNames) {
  return {
    DeliveryStreamName: names.deliveryStream,
    DeliveryStreamType: 'DirectPut' as const,
    ExtendedS3DestinationConfiguration: {
      RoleARN: 'arn:aws:iam::123456789012:role/delivery',
      BucketARN: `arn:aws:s3:::${names.bucket}`,
      Prefix: names.prefix,
      CompressionFormat: 'GZIP' as const,
      FileExtension: '.json.gz',
    },
  };
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
