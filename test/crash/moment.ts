/** A moment in the work of a run, and what dies with it. */
export interface Moment {
  /** Calls to AWS after the one that took the lease; 0 is that one itself. */
  readonly call: number;
  /**
   * `request-lost`: the run dies as this call arrives, and the service does nothing. `answer-lost`: the service has done it
   * and nobody hears of it. `later`: the run has its answer and goes on for some turns of the endpoints' event loop.
   */
  readonly place: 'request-lost' | 'answer-lost' | 'later';
  readonly turns: number;
}

/** Some runs make fewer calls than are drawn, and end by themselves: only then are threats walked and withdrawals sent. */
const MAX_CALLS = 120;
/** Some milliseconds: enough to reach the API's answers between two calls to AWS. */
const MAX_TURNS = 3_000;

export function drawMoment(random: () => number): Moment {
  const call = Math.floor(random() * MAX_CALLS);
  const place = (['request-lost', 'answer-lost', 'later'] as const)[Math.floor(random() * 3)]!;
  // Whether a take will succeed is not known when it arrives.
  const possible = call === 0 && place === 'request-lost' ? 'answer-lost' : place;
  return { call, place: possible, turns: Math.floor(random() ** 2 * MAX_TURNS) };
}
