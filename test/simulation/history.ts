/** A history: what happens to the platform, the network and the function, step by step. Plain data, so that it shrinks. */
import type { StreamName } from '../../lambda/streams.ts';
import type { PlatformSettings } from '../../local/platform/settings.ts';

/** Assets, threats and contents are named by small numbers, so that they meet again and again. */
export type Change =
  | { readonly kind: 'asset'; readonly asset: number; readonly content: number }
  | { readonly kind: 'remove' | 'restore' | 'reproject-asset' | 'unseen'; readonly asset: number }
  | { readonly kind: 'threat'; readonly threat: number; readonly asset: number; readonly content: number }
  | { readonly kind: 'reproject-threat'; readonly threat: number }
  | { readonly kind: 'dns-block'; readonly block: number }
  /** The assets from 0 on, or threats of one asset: so many at once that a page of them is written in several batches. */
  | { readonly kind: 'assets'; readonly count: number; readonly content: number }
  | {
      readonly kind: 'threats';
      readonly first: number;
      readonly count: number;
      readonly asset: number;
      readonly content: number;
    }
  /** Gives each of the first assets 0 to `most` threats, see `threatOf`. */
  | { readonly kind: 'spread'; readonly count: number; readonly most: number; readonly content: number }
  /** Every `every`th asset from `first` on. */
  | {
      readonly kind: 'remove-many' | 'restore-many';
      readonly first: number;
      readonly count: number;
      readonly every: number;
    }
  /** The first threat of each of these assets moves to the asset that is `by` further on. */
  | {
      readonly kind: 'move-many';
      readonly first: number;
      readonly count: number;
      readonly by: number;
      readonly content: number;
    }
  | { readonly kind: 'rotate-secret' | 'expire-tokens' }
  /** From now on the API refuses every cursor that it has issued so far. */
  | { readonly kind: 'forget-cursors' };

export const FAULTS = [
  'lost-request',
  'lost-answer',
  'throttle',
  'server-error',
  'partial',
  'slow',
  'unauthorised',
  'not-json',
  'refuse-cursor',
] as const;

/** What befalls one I/O; a kind that does not fit the service at hand does nothing. */
export type FaultKind = (typeof FAULTS)[number];

/** What a stubborn fault strikes: batches of writes and of reads, checkpoints and intents, the lease, queries, deliveries. */
export const STUBBORN_CALLS = ['write', 'read', 'save', 'lease', 'query', 'send'] as const;

export type StubbornCall = (typeof STUBBORN_CALLS)[number];

/**
 * `refused`: an error that no retry resolves. `no-answer`: the request takes effect, late, and the client gives up waiting.
 * `held-back`: once, the client gives up waiting, and the request takes effect only when a later tick releases it.
 */
export type StubbornFault =
  | 'throttle'
  | 'server-error'
  | 'lost-request'
  | 'lost-answer'
  | 'partial'
  | 'slow'
  | 'refused'
  | 'no-answer'
  | 'held-back';

/** Strikes the same sub-request at each try, while its siblings pass. */
export interface Stubborn {
  readonly call: StubbornCall;
  /** What the sub-request holds: the id of a row, the name of a stream, or the lease. */
  readonly about: string;
  readonly fault: StubbornFault;
  /** From the first request that it strikes on. */
  readonly milliseconds: number;
  /** So many requests pass first: the lease must be taken before its renewal can fail. */
  readonly spares?: number;
}

/** The writes of a withdrawal, in their order (lambda/core/withdraw.ts). */
export const WITHDRAWAL_STEPS = ['states', 'events', 'child-index', 'list'] as const;

export type WithdrawalStep = (typeof WITHDRAWAL_STEPS)[number];

/**
 * An I/O of a process, by its place among all of them, or among those of one step of its withdrawals.
 */
export interface Moment {
  readonly at: number;
  readonly ofStep?: WithdrawalStep;
}

export interface Tick {
  readonly kind: 'tick';
  /** Draws delays and jitter. */
  readonly seed: number;
  readonly budgetMilliseconds: number;
  readonly faults: readonly { readonly at: number; readonly fault: FaultKind }[];
  /** Changes of the platform in the middle of the walk, just before the I/O with this index. */
  readonly changes: readonly { readonly at: number; readonly change: Change }[];
  /** The process dies at this I/O: before the request leaves, or after it arrived. */
  readonly kill?: Moment & { readonly after: boolean };
  /** The process stops at this I/O and wakes so much later, a zombie perhaps. */
  readonly freeze?: Moment & { readonly milliseconds: number };
  /** The next step begins when this tick has done so many I/Os, instead of when it has ended. */
  readonly overlap?: number;
  readonly command?: Command;
  readonly stubborn?: readonly Stubborn[];
  /**
   * The tick runs in this container, which is frozen when the invocation ends and thawed by the next tick in it, with
   * whatever timers are pending. Absent: in a process of its own, which is not frozen when the tick ends.
   */
  readonly container?: number;
  /** Requests that were held back take effect just before this I/O. */
  readonly releases?: number;
}

/** The command of an operator that a tick carries. */
export interface Command {
  readonly resync?: readonly StreamName[];
  readonly replay?: readonly StreamName[];
}

/** Kinds of content that the filters of each stream exclude. */
export interface Filters {
  readonly assets: readonly number[];
  readonly threats: readonly number[];
  /** The expression for threats is a faulty one. */
  readonly faulty: boolean;
}

export type Step =
  | Tick
  | { readonly kind: 'change'; readonly change: Change }
  /** Ticks from now on run with these filters. */
  | { readonly kind: 'filters'; readonly filters: Filters }
  | { readonly kind: 'wait'; readonly milliseconds: number };

export interface History {
  readonly seed: number;
  readonly platform: Partial<PlatformSettings>;
  readonly pageLimit: number;
  /** An answer with more rows than this is too large to be read; absent: none is. */
  readonly rowsThatFit?: number;
  /** Beside the first asset the API delivers a row without an id. */
  readonly badRow?: boolean;
  /** The first filters. Absent: every row is sent. */
  readonly filters?: Filters & { readonly blocks: readonly number[] };
  /** Rows are sent again within so many days, until the faults end. Absent: never. */
  readonly refreshDays?: number;
  /** Absent: a minute. */
  readonly leaseSeconds?: number;
  /** The first assets are rows of so many bytes: a page of them is delivered in several calls. */
  readonly fat?: { readonly assets: number; readonly bytes: number };
  readonly steps: readonly Step[];
}
