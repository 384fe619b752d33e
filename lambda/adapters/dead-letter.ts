/** Rows that cannot be sent, kept whole in S3 under a key made of their content: a re-delivered row is one object. */
import { DeadLetterError } from '../core/errors.ts';
import type { DeadLetter, DeadLetters } from '../ports.ts';
import { persist, type Sender } from './aws-calls.ts';
import type { Patience } from './patience.ts';

export interface DeadLetterOptions {
  /** Made at the first dead letter: most runs have none, and the S3 client is the heaviest of all. */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly connector: string;
  readonly patience: Patience;
}

const PREFIX = 'dead-letter';

export function createDeadLetters({ client, bucket, connector, patience }: DeadLetterOptions): DeadLetters {
  const keyOf = ({ stream, reason, digest }: DeadLetter) => `${PREFIX}/${connector}/${stream}/${reason}/${digest}.json`;
  return {
    locate: letter => `s3://${bucket}/${keyOf(letter)}`,
    async store(letter) {
      const { PutObjectCommand } = await import('@aws-sdk/client-s3');
      const input = {
        Bucket: bucket,
        Key: keyOf(letter),
        Body: Buffer.from(body(letter, connector)),
        ContentType: 'application/json',
      };
      try {
        const s3 = await client();
        await persist(() => s3.send(new PutObjectCommand(input)), patience);
      } catch (cause) {
        throw new DeadLetterError({ cause });
      }
    },
  };
}

/** The row stands last, as the API sent it. The same row makes the same object: no time, no run. */
function body({ reason, stream, text }: DeadLetter, connector: string): string {
  const head = JSON.stringify({ reason, stream, connector });
  return `${head.slice(0, -1)},"row":${text}}\n`;
}
