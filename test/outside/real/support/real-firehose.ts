import type { Fault } from '../../../../local/aws/faults.ts';
import { type JsonOperation, jsonRefusal, jsonReply, MISSING_TOKEN, readJsonRequest } from '../../../aws/protocols.ts';
import type { Service } from '../../../aws/wire.ts';
import { forward } from './forward.ts';

interface Answer {
  readonly RequestResponses: readonly object[];
}

const SLOW_DOWN = { ErrorCode: 'ServiceUnavailableException', ErrorMessage: 'Slow down.' };

/** A Firehose that is not ours behind our faults: of a batch it sees only the records that are not to fail. */
export function realFirehose(url: string): Service<JsonOperation> {
  return {
    name: 'firehose',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, 'Firehose_20150804');
      return { action, permission: `firehose:${action}`, resource: String(input['DeliveryStreamName']), input };
    },
    async perform({ input }, request, fault: Fault) {
      const all = (input['Records'] ?? []) as readonly { readonly Data: string }[];
      const failed = all.map((_, index) => fault.failItems?.(index) ?? false);
      if (!failed.includes(true)) return forward(url, request);
      const taken = all.filter((_, index) => !failed[index]);
      const body = Buffer.from(JSON.stringify({ ...input, Records: taken }));
      const reply =
        taken.length > 0 ? await forward(url, { ...request, body }) : jsonReply('1.1', { RequestResponses: [] });
      if (reply.status !== 200) return reply;
      const answer: Answer = JSON.parse(String(reply.body));
      const answers = answer.RequestResponses.values();
      const RequestResponses = failed.map(slow => (slow ? SLOW_DOWN : answers.next().value));
      return jsonReply('1.1', { ...answer, FailedPutCount: all.length - taken.length, RequestResponses });
    },
    refusal: error => jsonRefusal('1.1', error),
  };
}
