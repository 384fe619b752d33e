/**
 * Protocols for the SDK that serialize batches of items and records faster than the SDK's own
 * protocols do.
 */
import type { PutRecordBatchInput } from '@aws-sdk/client-firehose';
import { AwsJson1_0Protocol, AwsJson1_1Protocol, type JsonCodec2 } from '@aws-sdk/core/protocols';

/**
 * Serializes the largest inputs, namely batches of items and records of bytes, in one step each.
 * The SDK would walk through them by their schema, character by character, which takes some 8 % of
 * the CPU of a walk. The SDK's own serializer handles every other input, and every answer.
 *
 * JSON.stringify is sufficient for batches of items, because their items do not contain bytes.
 */
export class DynamoDBProtocol extends AwsJson1_0Protocol {
  protected override serializer = bulkSerializer(this.getPayloadCodec(), input =>
    'RequestItems' in input ? Buffer.from(JSON.stringify(input)) : undefined,
  );
}

export class FirehoseProtocol extends AwsJson1_1Protocol {
  protected override serializer = bulkSerializer(this.getPayloadCodec(), input =>
    'Records' in input ? recordsBody(input as PutRecordBatchInput) : undefined,
  );
}

/**
 * Writes the body into one buffer of exactly its size. For a page it has some 700 kB, and joining
 * it into one text first would copy it twice more. Latin-1 is sufficient, because the whole body is
 * ASCII.
 */
function recordsBody({ DeliveryStreamName, Records }: PutRecordBatchInput): Buffer {
  const texts = [`{"DeliveryStreamName":${JSON.stringify(DeliveryStreamName)},"Records":[`];
  for (const { Data } of Records!) {
    const bytes = Buffer.from(Data!.buffer, Data!.byteOffset, Data!.byteLength);
    texts.push(texts.length === 1 ? '{"Data":"' : ',{"Data":"', bytes.toString('base64'), '"}');
  }
  texts.push(']}');
  const body = Buffer.allocUnsafeSlow(texts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const text of texts) at += body.write(text, at, 'latin1');
  return body;
}

type Serializer = ReturnType<JsonCodec2['createSerializer']>;

/** @param bulk returns the whole body of an input that it knows, otherwise undefined */
function bulkSerializer(codec: object, bulk: (input: object) => Buffer | undefined): Serializer {
  const sdk = (codec as JsonCodec2).createSerializer();
  let body: Buffer | undefined;
  return {
    setSerdeContext: context => sdk.setSerdeContext(context),
    write(schema, input) {
      body = bulk(input as object);
      if (!body) sdk.write(schema, input);
    },
    flush() {
      const written = body ?? sdk.flush();
      body = undefined;
      return written;
    },
  };
}
