/** The types of `client.ts`, which name nothing of the function: each declaration that they name is in the package too. */

/** Names of the members of an answer that the API's specification does not show. */
export interface MemberNames {
  /**
   * Member that holds the rows.
   *
   * @default - found by its shape
   */
  readonly rows?: string | undefined;
  /**
   * Member that holds the pagination object. Empty: its members are those of the answer itself.
   *
   * @default - found by its shape
   */
  readonly pagination?: string | undefined;
}

/** How a list is read. */
export interface ListOptions {
  /**
   * Cursor of an earlier page.
   *
   * @default - from the beginning
   */
  readonly cursor?: string;
  /**
   * Rows a page, 1 to 500.
   *
   * @default 500
   */
  readonly limit?: number;
  /**
   * Ends the requests.
   *
   * @default - nothing ends them
   */
  readonly signal?: AbortSignal;
}

/** A page of a list. */
export interface Page {
  /** One JSON text a row, as the API sent it. */
  readonly rows: readonly string[];
  /** null: the end of the list. Keep the newest that is not null, and poll with it. */
  readonly nextCursor: string | null;
}

/** The whole API. Every method rejects with one of the errors of this module; the lists do so while they are read. */
export interface SecurityDataClient {
  /** Assets and their tombstones. */
  assets(options?: ListOptions): AsyncIterable<Page>;
  /** Threats. */
  threats(options?: ListOptions): AsyncIterable<Page>;
  /**
   * DNS blocks.
   *
   * @throws RangeError when the client was made without `dnsBlocksPath`
   */
  dnsBlocks(options?: ListOptions): AsyncIterable<Page>;
  /** One asset. @throws RangeError when no path can hold the id */
  asset(id: string): Promise<string>;
  /** The assets related to one now. The shape of the answer is not specified. */
  relatedAssets(id: string): Promise<string>;
  /** One threat. */
  threat(id: string): Promise<string>;
}
