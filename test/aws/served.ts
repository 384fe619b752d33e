import { createFaultControl, type FaultControl } from '../../local/aws/faults.ts';
import type { Operation } from '../../local/aws/service.ts';
import { type Call, type Service, serve } from './wire.ts';

export interface Served extends AsyncDisposable {
  readonly url: string;
  /** Configuration of an SDK client; without retries, so that a test sees each answer. */
  readonly config: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly maxAttempts: number;
  };
  /** Every recorded call, in order, as permission and resource. */
  readonly permissions: [permission: string, resource: string][];
  readonly calls: Call[];
  readonly faults: FaultControl;
}

export const PLACE = { region: 'us-east-1', account: '000000000000' };

/** A single service behind HTTP. */
export async function served<O extends Operation>(service: Service<O>): Promise<Served> {
  const calls: Call[] = [];
  const permissions: [string, string][] = [];
  const faults = createFaultControl();
  const onCall = (call: Call): void => {
    calls.push(call);
    permissions.push([call.permission, call.resource]);
  };
  const wire = await serve(service, { faults, onCall, port: 0 });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return {
    url: wire.url,
    config: { endpoint: wire.url, region: PLACE.region, credentials, maxAttempts: 1 },
    calls,
    permissions,
    faults,
    [Symbol.asyncDispose]: () => wire.close(),
  };
}
