/** An account of moto's that the embedded endpoints would take for their own, so that ARNs are the same on both. */
import { ACCOUNT } from '../../../local/aws/endpoints.ts';
import type { Operation } from '../../../local/aws/service.ts';
import type { Reply, Service, WireRequest } from '../../../local/aws/wire.ts';
import { forward } from './forward.ts';

const HEADER = { 'x-moto-account-id': ACCOUNT };

/** Sends a request on to moto, in that account. */
export async function askMoto(url: string, request: WireRequest): Promise<Reply> {
  return forward(url, { ...request, headers: { ...request.headers, ...HEADER } });
}

interface Client {
  readonly middlewareStack: {
    add(middleware: (next: Handler) => Handler, options: { readonly step: 'build'; readonly name: string }): void;
  };
}
// The SDK has a type of its own for the handlers of each service.
type Handler = (args: never) => Promise<never>;

/** Puts a client's requests into that account. */
export function inAccount<C>(client: C): C {
  (client as unknown as Client).middlewareStack.add(
    next => args => {
      Object.assign((args as { request: { headers: object } }).request.headers, HEADER);
      return next(args);
    },
    { step: 'build', name: 'account' },
  );
  return client;
}

/** How an action is answered in place of moto. */
type Instead<O extends Operation> = (operation: O, request: WireRequest, embedded: Service<O>) => Promise<Reply>;

/** A service whose answers are moto's, but for some actions. */
export function motoService<O extends Operation>(
  url: string,
  service: Service<O>,
  instead: Readonly<Record<string, Instead<Operation>>>,
): Service<O> {
  return {
    ...service,
    perform(operation, request) {
      const other = instead[operation.action] as Instead<O> | undefined;
      return other ? other(operation, request, service) : askMoto(url, request);
    },
  };
}
