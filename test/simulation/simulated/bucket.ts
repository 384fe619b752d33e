/** The bucket of dead letters in memory, as far as the connector uses it. */
import type { FaultKind, StubbornFault } from '../history.ts';
import { type Command, raise } from './dynamodb.ts';
import type { Service } from './process.ts';

export class SimBucket {
  onStored: (body: string) => void = () => undefined;

  service({ constructor: { name }, input }: Command): Service<object> {
    const effect = () => {
      if (name !== 'PutObjectCommand') throw new Error(`${name} is not granted`);
      this.onStored(String(input.Body));
      return {};
    };
    const request = { call: undefined, isAbout: () => false, writes: true, late: () => undefined };
    return { effect, strike, request };
  }
}

function strike(fault: FaultKind | StubbornFault): (() => never) | undefined {
  if (fault === 'throttle') return () => raise('SlowDown', 503);
  return fault === 'server-error' ? () => raise('InternalError', 500) : undefined;
}
