/** The bucket of dead letters in memory, as far as the connector uses it. */
import type { FaultKind, Release, StubbornFault } from '../history.ts';
import { type Command, raise } from './dynamodb.ts';
import type { Service } from './process.ts';
import { asRead, asSent } from './release.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of several commands
type Answer = any;

export class SimBucket {
  readonly #deadLetters = new Map<string, string>();
  /** Every key under which a dead letter was ever stored, in the order of first use. */
  readonly keys = new Set<string>();
  onStored: (key: string, body: string) => void = () => undefined;
  onRemoved: (key: string) => void = () => undefined;

  /** @param release that asks @param onRead called with the key of each dead letter that is read */
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
    const body = this.#deadLetters.get(key);
    // As the service says it to whoever may not list the bucket.
    if (body === undefined) raise('AccessDenied', 403);
    onRead(key);
    return { Body: { transformToString: async () => asRead(body, release) } };
  }

  #store(key: string, body: string): Answer {
    this.#deadLetters.set(key, body);
    this.keys.add(key);
    this.onStored(key, body);
    return {};
  }

  #remove(key: string): Answer {
    if (this.#deadLetters.has(key)) this.onRemoved(key);
    this.#deadLetters.delete(key);
    return {};
  }
}

function strike(fault: FaultKind | StubbornFault): (() => never) | undefined {
  if (fault === 'throttle') return () => raise('SlowDown', 503);
  return fault === 'server-error' ? () => raise('InternalError', 500) : undefined;
}
