/**
 * What a tenant's runs take, from its numbers alone. The rules are those of the table's items and of the commit; the sizes and times
 * were counted by `npm run cost`. A test counts again and compares: see docs/cost.md.
 */
import { childOf, type NamedStream, PAGE_LIMIT, type Stream } from '../../lambda/streams.ts';
import { type Counts, itemsOf, type Meter, stockOf, streamsOf, type Tenant } from './bill.ts';

export interface EstimateOptions {
  readonly rateMinutes: number;
}

/** Bytes, counted: of event lines as the benchmark's rows make them, and what gzip leaves of them. */
const LINE_BYTES = { versioned: 1_200, immutable: 520 } as const;
const GZIPPED = { share: 0.12, anObject: 1_000 } as const;
/** Of stdout: a run, and each of its streams. */
const LOG_BYTES = { run: 640, stream: 720 } as const;
/** Milliseconds, counted at the latencies that docs/cost.md names: of a run, and of each row. */
const WALL = { run: 220, row: 0.08 } as const;
const CPU = { run: 30, row: 0.017 } as const;
/** Time series of the function that a healthy connector sends: `StreamsFailed`, `StreamsBehind`, and of each stream rows and events. */
const SERIES = { connector: 2, stream: 2, withdrawals: 1 } as const;

const WRITE_UNIT = 1_024;
const READ_UNIT = 4_096;
const FIREHOSE_STEP = 5_120;
/** A version tag in the window, an id tag in the intent in base64, and the rest of their items. */
const VERSION_TAG_BYTES = 12;
const TAG_BYTES = 9.4;
const ITEM_BYTES = 250;
/** Assumed threats per removed asset. */
const THREATS_AN_ASSET = 4;

/** Of one run; `Counts.minutes` is the time between two. */
export function estimateCounts(tenant: Tenant, { rateMinutes }: EstimateOptions): Counts {
  const aRun = (anHour: number): number => (anHour * rateMinutes) / 60;
  const changesOf = ({ name }: NamedStream) => aRun(tenant.streams[name]?.changes ?? 0);
  const removalsOf = ({ name }: NamedStream) => aRun(tenant.streams[name]?.removals ?? 0);
  const facts = streamsOf(tenant);
  const removals = facts.filter(({ name }) => childOf(name)).reduce((total, each) => total + removalsOf(each), 0);
  const newChildren = facts
    .filter(({ cascadesFrom }) => cascadesFrom)
    .reduce((total, each) => total + changesOf(each) / 2, 0);
  const streams = facts.map(stream => {
    const { hasRowStates: remembered } = stream;
    const stock = remembered ? (tenant.streams[stream.name]?.stock ?? 0) : Number.POSITIVE_INFINITY;
    return streamUse({ rows: changesOf(stream) + removalsOf(stream), stock, remembered });
  });
  const sum = (of: (use: StreamUse) => number) => streams.reduce((total, each) => total + of(each), 0);
  const rows = sum(each => each.rows);
  const withdrawn = removals * THREATS_AN_ASSET;
  const quiet = streams.reduce((none, each) => none * (1 - each.changeShare), 1);
  const lineBytes = sum(each => each.lineBytes);
  const runsWithNews = 1 - quiet;
  return {
    minutes: rateMinutes,
    runs: 1,
    // Two for the lease; a new child row's item in the child index; per removal its entry in the list twice, and per threat its state and its item in the child index.
    writeUnits: 2 + sum(each => each.writeUnits) + newChildren + removals * 2 + withdrawn * 2,
    readUnits: 1 + sum(each => each.readUnits) + removals + withdrawn,
    secretCalls: 0,
    billedBytes: sum(each => each.billedBytes),
    lineBytes,
    storedBytes: lineBytes * GZIPPED.share + runsWithNews * GZIPPED.anObject,
    logBytes: logBytesOf(streams.length),
    wall: WALL.run + WALL.row * rows,
    cpu: CPU.run + CPU.row * rows,
    runsWithNews,
    metrics: seriesOf(facts),
    fill: fillOf(tenant),
  };
}

function logBytesOf(streams: number): number {
  return LOG_BYTES.run + LOG_BYTES.stream * streams;
}

/**
 * Time series that the function sends with these streams. A metric is billed for the hours in which it is sent, so this is the most that a
 * healthy connector without filters costs: every hour has changes in each stream and a removed asset with threats.
 */
export function seriesOf(streams: readonly Stream[]): number {
  const children = streams.filter(({ cascadesFrom }) => cascadesFrom !== undefined);
  return SERIES.connector + SERIES.stream * streams.length + SERIES.withdrawals * children.length;
}

interface StreamUse {
  readonly rows: number;
  /** Probability that a run finds something new. */
  readonly changeShare: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly lineBytes: number;
  readonly billedBytes: number;
}

interface StreamOfTenant {
  /** That a run finds new, on average; they come at random. */
  readonly rows: number;
  readonly stock: number;
  /** Whether each row has a state. */
  readonly remembered: boolean;
}

function streamUse({ rows, stock, remembered }: StreamOfTenant): StreamUse {
  const changeShare = 1 - Math.exp(-rows);
  // The page at the cursor fills up among the new rows.
  const pages = changeShare + rows / PAGE_LIMIT.default;
  const window = VERSION_TAG_BYTES * Math.min(2 * PAGE_LIMIT.default, stock) + ITEM_BYTES;
  const note = remembered && rows > 0 ? Math.ceil((TAG_BYTES * (rows / pages) + ITEM_BYTES) / WRITE_UNIT) : 0;
  const lineBytes = rows * (remembered ? LINE_BYTES.versioned : LINE_BYTES.immutable);
  return {
    rows,
    changeShare,
    writeUnits: pages * (Math.ceil(window / WRITE_UNIT) + note) + (remembered ? rows : 0),
    // Checkpoint and note of each run, and the state of each row.
    readUnits: Math.ceil(window / READ_UNIT) + 1 + (remembered ? rows : 0),
    lineBytes,
    // A record a page, rounded up to the step: half of one is lost on average, and most of one where a page is small.
    billedBytes: pages === 0 ? 0 : pages * Math.ceil(lineBytes / pages / FIREHOSE_STEP) * FIREHOSE_STEP,
  };
}

/** A first drain of the streams with row states, or a replay of them: a write for each item, and the pages. */
function fillOf(tenant: Tenant): Meter & { readonly rows: number } {
  const rows = stockOf(tenant, () => 1);
  const pages = rows / PAGE_LIMIT.default;
  const window = VERSION_TAG_BYTES * 2 * PAGE_LIMIT.default + ITEM_BYTES;
  const note = TAG_BYTES * PAGE_LIMIT.default + ITEM_BYTES;
  const lineBytes = rows * LINE_BYTES.versioned;
  return {
    rows: Math.max(rows, 1),
    writeUnits: stockOf(tenant, itemsOf) + pages * (Math.ceil(window / WRITE_UNIT) + Math.ceil(note / WRITE_UNIT)),
    readUnits: rows,
    secretCalls: 1,
    billedBytes: lineBytes,
    lineBytes,
    storedBytes: lineBytes * GZIPPED.share,
    logBytes: logBytesOf(streamsOf(tenant).length),
  };
}
