/** Firehose in memory: takes what its limits allow, keeps no order, fails in part when struck. */
import { limitFault } from '../../../local/aws/firehose.ts';
import { type Command, raise, type SimDynamoDb } from './dynamodb.ts';
import type { Service, SimProcess } from './process.ts';

interface Answer {
  readonly FailedPutCount: number;
  readonly RequestResponses: readonly { readonly RecordId?: string; readonly ErrorCode?: string }[];
}

export class SimFirehose {
  /** Called with each line that was taken, and its sender. */
  onLine: (line: string, sender: SimProcess) => void = () => undefined;
  calls = 0;
  readonly #dynamodb: Pick<SimDynamoDb, 'requireLease'>;

  constructor(dynamodb: Pick<SimDynamoDb, 'requireLease'>) {
    this.#dynamodb = dynamodb;
  }

  service(command: Command, sender: SimProcess): Service<Answer> {
    const records: Uint8Array[] = command.input.Records.map((each: { Data: Uint8Array }) => each.Data);
    return {
      effect: () => this.#take(records, sender, () => true),
      request: {
        call: 'send',
        isAbout: what => records.some(record => Buffer.from(record).includes(`"${what}"`)),
        writes: true,
        step: records.some(record => Buffer.from(record).includes('"threats"')) ? 'events' : undefined,
        late: () => undefined,
      },
      strike: fault => {
        if (fault === 'refused') return () => raise('AccessDeniedException', 400);
        if (fault === 'throttle') return () => raise('ServiceUnavailableException', 503);
        if (fault === 'server-error') return () => raise('InternalFailure', 500);
        return fault === 'partial' ? () => this.#take(records, sender, index => index % 2 === 1) : undefined;
      },
    };
  }

  #take(records: readonly Uint8Array[], sender: SimProcess, takes: (index: number) => boolean): Answer {
    this.calls++;
    this.#dynamodb.requireLease(sender, 'sends');
    const fault = limitFault(records.map(each => each.byteLength));
    if (fault) raise(fault.code, 400);
    const answers = records.map((record, index) => {
      if (!takes(index)) return { ErrorCode: 'ServiceUnavailableException' };
      const text = new TextDecoder('utf-8', { fatal: true }).decode(record);
      if (!text.endsWith('\n')) throw new Error('A record without a line end');
      for (const line of text.slice(0, -1).split('\n')) this.onLine(line, sender);
      return { RecordId: String(index) };
    });
    return { FailedPutCount: answers.filter(each => 'ErrorCode' in each).length, RequestResponses: answers };
  }
}
