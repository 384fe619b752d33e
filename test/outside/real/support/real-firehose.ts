import type { Fault } from '../../../../local/aws/faults.ts';
import type { FirehoseCounters } from '../../../../local/aws/firehose.ts';
import {
  type JsonOperation,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
} from '../../../../local/aws/protocols.ts';
import type { WireRequest } from '../../../../local/aws/service.ts';
import type { Reply, Service } from '../../../../local/aws/wire.ts';
import { forward } from './forward.ts';

interface Answer {
  readonly RequestResponses: readonly object[];
}

const SLOW_DOWN = { ErrorCode: 'ServiceUnavailableException', ErrorMessage: 'Slow down.' };

/** A Firehose that is not ours behind our faults: of a batch it sees only the records that are not to fail. */
export function realFirehose(url: string, counters: FirehoseCounters): Service<JsonOperation> {
  const put = async (request: WireRequest, records: readonly { readonly Data: string }[]): Promise<Reply> => {
    const reply = await forward(url, request);
    if (reply.status !== 200) {
      counters.refusedCalls += 1;
      return reply;
    }
    counters.records += records.length;
    return reply;
  };
  return {
    name: 'firehose',
    unsigned: MISSING_TOKEN,
    understand(request) {
      counters.calls += 1;
      const { action, input } = readJsonRequest(request, 'Firehose_20150804');
      return { action, permission: `firehose:${action}`, resource: String(input['DeliveryStreamName']), input };
    },
    async perform({ input }, request, fault: Fault) {
      const all = (input['Records'] ?? []) as readonly { readonly Data: string }[];
      const failed = all.map((_, index) => fault.failItems?.(index) ?? false);
      if (!failed.includes(true)) return put(request, all);
      const taken = all.filter((_, index) => !failed[index]);
      const body = Buffer.from(JSON.stringify({ ...input, Records: taken }));
      const reply =
        taken.length > 0 ? await put({ ...request, body }, taken) : jsonReply('1.1', { RequestResponses: [] });
      if (reply.status !== 200) return reply;
      const answer: Answer = JSON.parse(String(reply.body));
      const answers = answer.RequestResponses.values();
      const RequestResponses = failed.map(slow => (slow ? SLOW_DOWN : answers.next().value));
      return jsonReply('1.1', { ...answer, FailedPutCount: all.length - taken.length, RequestResponses });
    },
    refusal(error) {
      counters.refusedCalls += 1;
      return jsonRefusal('1.1', error);
    },
  };
}
