import type { StreamName } from '../../../lambda/streams.ts';
import { ApiClient, type ApiTarget, type Reply, type Walk } from '../api-client.ts';

export interface ContractTarget extends ApiTarget {
  readonly threatAssetMember: string;
  /** Pages of each stream that are read at most. */
  readonly maxPages: number;
  /** Lets 300 seconds pass; absent: expiry is not checked. */
  readonly letTokenExpire?: (() => Promise<unknown>) | undefined;
}

/** Keeps the token and the walks, so that the rules together read a tenant once. */
export class ContractClient extends ApiClient {
  override readonly target: ContractTarget;
  readonly #walks = new Map<StreamName, Promise<Walk>>();
  #token: Promise<Reply> | undefined;

  constructor(target: ContractTarget) {
    super(target);
    this.target = target;
  }

  override requestToken(): Promise<Reply> {
    this.#token ??= super.requestToken();
    return this.#token;
  }

  forgetToken(): void {
    this.#token = undefined;
  }

  /** A list from its beginning. */
  wholeWalk(list: StreamName): Promise<Walk> {
    const walk = this.#walks.get(list) ?? this.walk(list, { limit: 500 }, this.target.maxPages);
    this.#walks.set(list, walk);
    return walk;
  }
}
