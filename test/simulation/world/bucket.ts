/** The bucket of dead letters in memory, as far as the connector uses it. */
import type { FaultKind, Release, StubbornFault } from '../history.ts';
import { type Command, raise } from './dynamodb.ts';
import { asRead, asSent } from './edition.ts';
import type { Service } from './process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of several commands
type Answer = any;

export class SimBucket {
  readonly #letters = new Map<string, string>();
  /** Every key under which a letter has ever lain, in the order of their first letters. */
  readonly keys = new Set<string>();
  onStored: (key: string, body: string) => void = () => undefined;
  onRemoved: (key: string) => void = () => undefined;

  /** @param edition that asks @param onRead told of each letter that is read */
  service({ constructor: { name }, input }: Command, release: Release, onRead: (key: string) => void): Service<Answer> {
    const writes = name !== 'GetObjectCommand';
    const request = { call: undefined, isAbout: () => false, writes, late: () => undefined };
    return { effect: () => this.#execute(name, input, release, onRead), strike, request };
  }

  #execute(name: string, input: Command['input'], release: Release, onRead: (key: string) => void): Answer {
    const { Key: key } = input;
    if (name === 'PutObjectCommand') return this.#store(key, asSent(String(input.Body)));
    if (name === 'DeleteObjectCommand') return this.#remove(key);
    if (name !== 'GetObjectCommand') throw new Error(`${name} is not granted`);
    const body = this.#letters.get(key);
    // As the service says it to whoever may not list the bucket.
    if (body === undefined) raise('AccessDenied', 403);
    onRead(key);
    return { Body: { transformToString: async () => asRead(body, release) } };
  }

  #store(key: string, body: string): Answer {
    this.#letters.set(key, body);
    this.keys.add(key);
    this.onStored(key, body);
    return {};
  }

  #remove(key: string): Answer {
    if (this.#letters.has(key)) this.onRemoved(key);
    this.#letters.delete(key);
    return {};
  }
}

function strike(fault: FaultKind | StubbornFault): (() => never) | undefined {
  if (fault === 'throttle') return () => raise('SlowDown', 503);
  return fault === 'server-error' ? () => raise('InternalError', 500) : undefined;
}
