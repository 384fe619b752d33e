/** Random histories over the same words, drawn and shrunk by fast-check. */
import fc from 'fast-check';
import { type Explored, play } from './explore.ts';
import { type Fault, OPERATIONS, type Operation, STRUCK_BY } from './process.ts';

/** Draws of one seed. */
export interface Draw {
  readonly seed: number;
  readonly runs: number;
}

const LONGEST = 24;
/** About as many requests as a run over a few rows makes. */
const MOST_REQUESTS = 40;

const words = (text: string) => fc.constantFrom(...text.split(' '));

const CHANGES = words(
  'a=1 a=2 a=3 b=1 b=2 t=1 t=2 t=3 t=1@a t=1@b t=2@b u=1@a u=2@b u=1 -a +a -b +b ~a ~t ?x d1 d2 d3 d4',
);
const CONFIGURATION = words('filter= filter=t filter=a filter=at omit= omit=t omit=d limit=1 limit=2 limit=3');
const SURROUNDINGS = words(
  'wait=1 wait=8 forget rotate expire clock=1 clock=0 clock=-1 lists=none lists=all leads=back leads=on',
);
/** A restored table, and everything sent again after it. */
const TABLES = words('restore restore lose sendall-a sendall-t sendall-d');
const WITHIN_RUNS = words('clock=1 clock=0 clock=-1 forget expire filter=t limit=1');
const SETTINGS = [
  words('limit=1 limit=2 limit=3'),
  maybe(words('every-version')),
  maybe(words('empty-end')),
  maybe(words('fits=1')),
  maybe(words('withhold=5 withhold=90')),
  maybe(fc.nat(999).map(seed => `delays=${seed}`)),
  maybe(words('old-positions')),
];
/** What the SIEM can notice in the first history. */
const FIRST_ROWS = ['a=1', 'b=1', 't=1@a', 'u=1@b'];

const FAULTS: readonly Fault[] = [
  ...(['lost', 'unanswered', 'failing', 'throttled', 'denied', 'refused', 'slow', 'spent', 'half'] as const),
  ...(['took', 'took-half', 'torn', 'freeze'] as const),
];

const request = fc.integer({ min: 1, max: MOST_REQUESTS });
/** Requests of one operation that a fault can strike. */
const early = fc.integer({ min: 1, max: 4 });
const operation = fc.constantFrom(...OPERATIONS);
const moment = fc.oneof(
  { weight: 2, arbitrary: request.map(String) },
  { weight: 1, arbitrary: fc.tuple(operation, early).map(pair => pair.join('')) },
);
const fault = fc
  .tuple(fc.constantFrom(...FAULTS), fc.nat(), early)
  .map(([kind, drawn, at]) => `${kind}-${drawnOf(STRUCK_BY[kind] ?? OPERATIONS, drawn)}${at}`);
const stray = fc.tuple(fc.nat(), early).map(([drawn, at]) => `stray-${drawnOf(STRUCK_BY.stray!, drawn)}${at}`);
const condition = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(words('before after'), moment).map(parts => parts.join('-')) },
  { weight: 4, arbitrary: fault },
  { weight: 3, arbitrary: fc.tuple(moment, CHANGES).map(([at, change]) => `@${at}${change}`) },
  { weight: 1, arbitrary: fc.tuple(moment, WITHIN_RUNS).map(([at, change]) => `@${at}${change}`) },
  { weight: 1, arbitrary: request.map(at => `thaw-${at}`) },
  { weight: 1, arbitrary: fc.tuple(stray, request).map(([given, later]) => `${given}:lands-${later}`) },
  { weight: 1, arbitrary: stray },
  { weight: 1, arbitrary: request.map(at => `lands-${at}`) },
);
const command = fc.oneof(
  { weight: 12, arbitrary: fc.constant('run') },
  {
    weight: 9,
    arbitrary: words(
      'soon since-a since-t since-d resync-a resync-t resync-d replay-a replay-t replay-d since-a since-t since-d',
    ),
  },
);
const run = fc
  .tuple(command, fc.array(condition, { maxLength: 3, size: 'max' }))
  .map(([word, conditions]) => [word, ...conditions].join(':'));

const HISTORY = fc
  .tuple(
    fc.tuple(...SETTINGS),
    maybe(fc.constant('run backup')),
    fc.array(
      fc.oneof(
        { weight: 10, arbitrary: CHANGES },
        { weight: 8, arbitrary: run },
        { weight: 1, arbitrary: CONFIGURATION },
        { weight: 1, arbitrary: SURROUNDINGS },
        { weight: 1, arbitrary: TABLES },
      ),
      { maxLength: LONGEST, size: 'max' },
    ),
  )
  .map(([settings, backup, rest]) =>
    withoutAmbiguousTimes([...settings, ...FIRST_ROWS, ...backup.split(' '), ...rest].filter(word => word !== '')),
  );

/**
 * The time that an operator gives does not say which events are meant if the clock of the function
 * jumps by hours.
 */
function withoutAmbiguousTimes(history: readonly string[]): string[] {
  const isClockSet = history.some(word => word.includes('clock='));
  return history.map(word => (isClockSet ? word.replace(/^since-/, 'replay-') : word));
}

function drawnOf(operations: readonly Operation[], drawn: number): Operation {
  return operations[drawn % operations.length]!;
}

function maybe(arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary });
}

/** Plays random histories until one fails, and then the shorter ones that fail as well. */
export async function drawHistories({ seed, runs }: Draw): Promise<Explored> {
  const holds = fc.asyncProperty(HISTORY, async history => {
    const [breach] = await play(history);
    if (breach !== undefined) throw new Error(breach);
  });
  const { numRuns: histories, counterexample, errorInstance } = await fc.check(holds, { seed, numRuns: runs });
  if (!counterexample) return { histories, failures: [] };
  return { histories, failures: [{ line: counterexample[0].join(' '), breach: (errorInstance as Error).message }] };
}
