import type { CommandInput, LocalService } from '../../local/aws/call.ts';
import {
  type JsonObject,
  type JsonOperation,
  type JsonVersion,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
} from './protocols.ts';
import type { Service } from './wire.ts';

/** A local service behind a JSON protocol, in which bytes are base64. @param target what precedes the action in the `X-Amz-Target` header */
export function localJsonService(service: LocalService, target: string, version: JsonVersion): Service<JsonOperation> {
  return {
    name: service.name,
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, target);
      const permission = `${service.name}:${action}`;
      return { action, permission, resource: service.resource(input, action), input };
    },
    async perform({ action, input }, _request, fault) {
      const { output, readUnits, writeUnits } = await service.perform(action, mapBytes(input, decoded), fault);
      const units = { ...(readUnits && { readUnits }), ...(writeUnits && { writeUnits }) };
      return { ...jsonReply(version, mapBytes(output as JsonObject, encoded)), ...units };
    },
    refusal: error => jsonRefusal(version, error),
  };
}

/** Members that hold bytes: of attributes in DynamoDB, and of records in Firehose. */
const BYTES = ['B', 'Data'];

function mapBytes(value: CommandInput, change: (bytes: CommandInput) => unknown): CommandInput {
  if (Array.isArray(value)) return value.map(entry => mapBytes(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    BYTES.includes(name) && isBytes(member) ? change(member) : mapBytes(member, change),
  ]);
  return Object.fromEntries(members);
}

/** As base64, or not yet. */
function isBytes(member: unknown): boolean {
  return typeof member === 'string' || member instanceof Uint8Array;
}

const decoded = (text: string) => Buffer.from(text, 'base64');
const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
