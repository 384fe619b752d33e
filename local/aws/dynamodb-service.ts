import { DYNAMODB_TARGET, type DynaliteClient } from './dynalite-client.ts';
import { splitBatch, withUndone } from './dynamodb-batches.ts';
import { type JsonObject, jsonRefusal, jsonReply, MISSING_TOKEN, readJsonRequest } from './json-protocol.ts';
import type { Operation } from './operation.ts';
import type { Reply, Service } from './wire.ts';

export interface DynamoDbOperation extends Operation {
  readonly input: JsonObject;
}

/** DynamoDB's protocol in front of whatever answers its actions, with faults on demand and everything metered. */
export function createDynamoDbService(
  client: DynaliteClient,
  place: { readonly region: string; readonly account: string },
): Service<DynamoDbOperation> {
  return {
    name: 'dynamodb',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, DYNAMODB_TARGET);
      const resource = `arn:aws:dynamodb:${place.region}:${place.account}:table/${tableOf(input)}`;
      return { action, permission: `dynamodb:${action}`, resource, input };
    },
    async perform({ action, input }, _request, fault) {
      const split = fault.failItems && splitBatch(action, input, fault.failItems);
      if (!split) return metered(client, action, input);
      const reply = split.done ? await metered(client, action, split.done) : jsonReply('1.0', {});
      if (reply.status !== 200) return reply;
      return { ...reply, body: JSON.stringify(withUndone(action, JSON.parse(String(reply.body)), split.undone)) };
    },
    refusal: error => jsonRefusal('1.0', error),
  };
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** Asks for the consumed capacity whether or not the caller did, and tells it only to a caller that did. */
async function metered(client: DynaliteClient, action: string, input: JsonObject): Promise<Reply> {
  const asked = (input['ReturnConsumedCapacity'] ?? 'NONE') !== 'NONE';
  const metering = READS.has(action) || action.endsWith('Item');
  const { status, body } = await client(
    action,
    asked || !metering ? input : { ...input, ReturnConsumedCapacity: 'TOTAL' },
  );
  const { ConsumedCapacity: capacity, ...rest } = body;
  const units = [capacity ?? []]
    .flat()
    .reduce((sum: number, each) => sum + (each as { CapacityUnits: number }).CapacityUnits, 0);
  const reply = { ...jsonReply('1.0', asked ? body : rest), status };
  if (!metering) return reply;
  return READS.has(action) ? { ...reply, readUnits: units } : { ...reply, writeUnits: units };
}

function tableOf(input: JsonObject): string {
  return String(input['TableName'] ?? Object.keys((input['RequestItems'] ?? {}) as object)[0] ?? '*');
}
