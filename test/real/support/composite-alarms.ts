/** moto has no composite alarms: the embedded CloudWatch answers for the two of the stack, and for their muting. */
import type { Operation } from '../../../local/aws/service.ts';
import type { Reply, Service, WireRequest } from '../../../local/aws/wire.ts';
import { askMoto } from './moto-account.ts';

export async function embeddedOnly(operation: Operation, request: WireRequest, embedded: Service): Promise<Reply> {
  return embedded.perform(operation, request, {});
}

/** moto's answer, with the composite alarms of the embedded one. */
export function withComposites(url: string) {
  return async (operation: Operation, request: WireRequest, embedded: Service): Promise<Reply> => {
    const [theirs, ours] = await Promise.all([askMoto(url, request), embedded.perform(operation, request, {})]);
    if (theirs.status !== 200) return theirs;
    const { CompositeAlarms } = JSON.parse(String(ours.body));
    return { ...theirs, body: JSON.stringify({ ...JSON.parse(String(theirs.body)), CompositeAlarms }) };
  };
}
