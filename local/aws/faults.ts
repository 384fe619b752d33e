import type { ServiceName, ServiceOperation } from './service.ts';

/** A fault of one call. Members combine, and an empty fault has no effect. */
export interface Fault {
  /**
   * Milliseconds that the service waits first. Without other members, the service is slow but
   * healthy.
   */
  readonly latencyMilliseconds?: number;
  /** Whether the connection is reset before the service acts. */
  readonly loseRequest?: boolean;
  /**
   * Whether the connection is reset after the effect, so that the caller cannot know whether the
   * call had its effect.
   */
  readonly loseAnswer?: boolean;
  /** Error with which the service refuses the whole call, without any effect. */
  readonly refuse?: { readonly status: number; readonly code: string; readonly message: string };
  /**
   * Whether the item of a batch at this position fails: a failed record of `PutRecordBatch`, or an
   * unprocessed item of `BatchWriteItem` or `BatchGetItem`.
   */
  readonly failItems?: (index: number) => boolean;
}

/**
 * Decides on the fault of each call of a service. `number` counts the calls of that service from 1.
 */
export type FaultRule = (operation: ServiceOperation, number: number) => Fault | undefined;

export interface FaultSource {
  for(service: ServiceName, operation: ServiceOperation): Fault;
}

export interface FaultControl extends FaultSource {
  /** Applies the rule to every further call of the service, instead of an earlier rule. */
  always(service: ServiceName, rule: FaultRule | Fault): void;
  /** Applies one fault to each of the service's next calls. These faults come before the rule. */
  next(service: ServiceName, ...faults: Fault[]): void;
  /** Removes all faults of one service, or of every service if none is named. */
  clear(service?: ServiceName): void;
}

/** The throttling errors of the services, as AWS documents them. */
export const THROTTLING_FAULTS = {
  firehose: { refuse: { status: 503, code: 'ServiceUnavailableException', message: 'Slow down.' } },
  dynamodb: {
    refuse: {
      status: 400,
      code: 'ThrottlingException',
      message:
        'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.',
    },
  },
  secretsmanager: { refuse: { status: 400, code: 'ThrottlingException', message: 'Rate exceeded' } },
  s3: { refuse: { status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' } },
} as const satisfies Partial<Record<ServiceName, Fault>>;

export function createFaultControl(): FaultControl {
  const rules = new Map<ServiceName, FaultRule>();
  const queues = new Map<ServiceName, Fault[]>();
  const numbers = new Map<ServiceName, number>();
  return {
    for(service, operation) {
      const number = (numbers.get(service) ?? 0) + 1;
      numbers.set(service, number);
      return queues.get(service)?.shift() ?? rules.get(service)?.(operation, number) ?? {};
    },
    always(service, rule) {
      rules.set(service, typeof rule === 'function' ? rule : () => rule);
    },
    next(service, ...faults) {
      queues.set(service, [...(queues.get(service) ?? []), ...faults]);
    },
    clear(service) {
      for (const name of service ? [service] : [...rules.keys(), ...queues.keys()]) {
        rules.delete(name);
        queues.delete(name);
      }
    },
  };
}
