import * as v from 'valibot';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { type HttpAnswer, ProblemError, problemDocument } from './problem.ts';

/** Names of the endpoints in faults and in counts. */
export type Endpoint = 'token' | 'related' | StreamName | SingleRead;
type SingleRead = Extract<(typeof STREAMS)[number], { readonly hasRowStates: true }>['singular'];

const ENDPOINTS: readonly Endpoint[] = [
  'token',
  'related',
  ...STREAMS.flatMap(({ name, singular, hasRowStates }) => (hasRowStates ? [name, singular] : [name])),
];

const KINDS = ['status', 'reset', 'delay', 'truncate'] as const;

const numberBetween = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max));

/**
 * A fault that strikes an endpoint's answers with some probability. Without a probability it
 * strikes every answer.
 */
const FAULT = v.object({
  kind: v.picklist(KINDS),
  /** Endpoint that the fault affects. If absent, the fault affects every endpoint. */
  endpoint: v.optional(v.picklist(ENDPOINTS)),
  probability: v.optional(numberBetween(0, 1), 1),
  times: v.optional(numberBetween(0, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER),
  status: v.optional(numberBetween(200, 599), 503),
  retryAfter: v.optional(v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]*$/))),
  typeSuffix: v.optional(v.string(), 'fault/injected'),
  delayMs: v.optional(numberBetween(0, 3_600_000), 1000),
});

export type Fault = v.InferInput<typeof FAULT>;

/** The combined effect of all faults on one answer. */
export interface FaultEffect {
  readonly answer?: HttpAnswer;
  /** Whether the connection breaks before anything is sent. */
  readonly reset?: boolean;
  /** Whether the connection breaks in the middle of the body. */
  readonly truncate?: boolean;
  readonly delayMs: number;
}

/** Decides which faults strike a request. */
export function createFaultInjector(random: () => number) {
  let active: (v.InferOutput<typeof FAULT> & { times: number })[] = [];
  return {
    set(faults: readonly Fault[]): void {
      active = faults.map(fault => {
        const { success, output } = v.safeParse(FAULT, fault);
        if (success) return { ...output };
        throw new ProblemError('request/malformed', `A fault is a kind (${KINDS.join(', ')}) with its options.`);
      });
    },
    strike(endpoint: Endpoint | undefined): FaultEffect {
      let strike: FaultEffect = { delayMs: 0 };
      for (const fault of active) {
        if (fault.times <= 0 || (fault.endpoint !== undefined && fault.endpoint !== endpoint)) continue;
        if (random() >= fault.probability) continue;
        fault.times -= 1;
        strike = { ...strike, ...effect(fault, strike) };
      }
      return strike;
    },
  };
}

function effect(fault: v.InferOutput<typeof FAULT>, { delayMs }: FaultEffect): Partial<FaultEffect> {
  const { kind, status, typeSuffix, retryAfter } = fault;
  if (kind === 'delay') return { delayMs: delayMs + fault.delayMs };
  if (kind !== 'status') return { [kind]: true };
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { answer: problemDocument({ suffix: typeSuffix, title: 'Injected fault', status }, headers) };
}
