/** What an organization has, and what happens in it in an hour. */
export interface Tenant {
  readonly name: string;
  readonly assets: number;
  readonly threats: number;
  /** An hour's changes; a tenth of those of assets are new ones, half of those of threats. */
  readonly assetChanges: number;
  readonly threatChanges: number;
  readonly removals: number;
  readonly dnsBlocks: number;
}

/** What AWS meters of some runs. */
export interface Meter {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly secretCalls: number;
  readonly billedBytes: number;
  readonly lineBytes: number;
  /** Gzipped, as it lies in the bucket. */
  readonly storedBytes: number;
  readonly logBytes: number;
}

/** What the runs of some minutes took together. */
export interface Counts extends Meter {
  readonly minutes: number;
  readonly runs: number;
  /** Milliseconds. */
  readonly wall: number;
  readonly cpu: number;
  readonly runsWithNews: number;
  /** Time series that the function emits. */
  readonly metrics: number;
  /** The first run, over this many rows. */
  readonly fill: Meter & { readonly rows: number };
}
