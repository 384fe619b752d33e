import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { type Answer, PROBLEM_BASE, ProblemError } from './problem.ts';

/** Endpoints by the names that faults and counts use. */
export type Endpoint = 'token' | 'related' | StreamName | SingleRead;
type SingleRead = Extract<(typeof STREAMS)[number], { readonly hasRowStates: true }>['singular'];

const ENDPOINTS: readonly Endpoint[] = [
  'token',
  'related',
  ...STREAMS.flatMap(({ name, singular, hasRowStates }) => (hasRowStates ? [name, singular] : [name])),
];

/** A fault that strikes an endpoint's answers with some probability. */
export interface Fault {
  /** Absent = every endpoint. */
  readonly endpoint?: Endpoint;
  readonly kind: 'status' | 'reset' | 'delay' | 'truncate';
  /** 0..1; default 1. */
  readonly probability?: number;
  /** How often it may strike. @default unlimited */
  readonly times?: number;
  /** For `status`; default 503. */
  readonly status?: number;
  /** For `status`: the `Retry-After` header. */
  readonly retryAfter?: string;
  /** For `status`: the problem's type suffix; default `fault/injected`. */
  readonly typeSuffix?: string;
  /** For `delay`, in milliseconds; default 1000. */
  readonly delayMs?: number;
}

/** The combined effect of all faults on one answer. */
export interface Strike {
  readonly answer?: Answer;
  readonly reset?: boolean;
  readonly truncate?: boolean;
  readonly delayMs: number;
}

/** Decides which faults strike a request. */
export interface Faults {
  set(faults: readonly Fault[]): void;
  strike(endpoint: Endpoint | undefined): Strike;
}

export function createFaults(random: () => number): Faults {
  let active: { fault: Fault; left: number }[] = [];
  return {
    set(faults) {
      faults.forEach(checkFault);
      active = faults.map(fault => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
    },
    strike(endpoint) {
      let strike: Strike = { delayMs: 0 };
      for (const entry of active) {
        const { fault } = entry;
        if (entry.left <= 0 || (fault.endpoint !== undefined && fault.endpoint !== endpoint)) continue;
        if (random() >= (fault.probability ?? 1)) continue;
        entry.left -= 1;
        strike = { ...strike, ...effect(fault), delayMs: strike.delayMs + delayOf(fault) };
      }
      return strike;
    },
  };
}

function delayOf(fault: Fault): number {
  return fault.kind === 'delay' ? (fault.delayMs ?? 1000) : 0;
}

function effect(fault: Fault): Omit<Strike, 'delayMs'> {
  if (fault.kind === 'reset') return { reset: true };
  if (fault.kind === 'truncate') return { truncate: true };
  if (fault.kind === 'delay') return {};
  const status = fault.status ?? 503;
  const type = PROBLEM_BASE + (fault.typeSuffix ?? 'fault/injected');
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
  if (fault.retryAfter !== undefined) headers['retry-after'] = fault.retryAfter;
  return { answer: { status, headers, body: JSON.stringify({ type, title: 'Injected fault', status }) } };
}

function checkFault(fault: Fault): void {
  const kinds = ['status', 'reset', 'delay', 'truncate'];
  const valid =
    typeof fault === 'object' &&
    fault !== null &&
    kinds.includes(fault.kind) &&
    (fault.endpoint === undefined || ENDPOINTS.includes(fault.endpoint)) &&
    inRange(fault.probability, 0, 1) &&
    inRange(fault.status, 200, 599) &&
    inRange(fault.delayMs, 0, 3_600_000) &&
    inRange(fault.times, 0, Number.MAX_SAFE_INTEGER) &&
    /^[\t\x20-\x7e]*$/.test(fault.retryAfter ?? '');
  if (!valid) throw new ProblemError('request/malformed', `A fault is a kind (${kinds.join(', ')}) with its options.`);
}

function inRange(value: number | undefined, min: number, max: number): boolean {
  return value === undefined || (typeof value === 'number' && value >= min && value <= max);
}
