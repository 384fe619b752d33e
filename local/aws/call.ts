/**
 * Calls to AWS without HTTP. A service answers the commands that a client of the SDK would send,
 * and faults strike the calls.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Sender } from '../../lambda/aws.ts';
import type { Fault, FaultSource } from './faults.ts';
import { AwsError, type ServiceName, type ServiceOperation } from './service.ts';

/** The input of a command. Its type is open, because each command has an input of its own type. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of many commands
export type CommandInput = any;

export interface ServiceAnswer {
  readonly output: object;
  /** Capacity units, if the service meters them. */
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

export interface LocalService {
  readonly name: ServiceName;
  /** ARN of the resource that a call concerns. */
  resource(input: CommandInput, action: string): string;
  /** Action that a policy must allow. @default the same action */
  permission?(input: CommandInput, action: string): string;
  /** Performs the action. @throws AwsError for every documented refusal */
  perform(action: string, input: CommandInput, fault: Fault): ServiceAnswer | Promise<ServiceAnswer>;
}

/** A call that was answered. */
export interface AnsweredCall extends ServiceOperation {
  readonly service: ServiceName;
  /** Id of the access key that signed the call, which identifies the caller. */
  readonly caller: string;
  /** HTTP status. It is 0 if a fault cut the connection instead. */
  readonly status: number;
  readonly readUnits: number | undefined;
  readonly writeUnits: number | undefined;
}

export interface CallOptions {
  readonly faults: FaultSource;
  readonly onCall?: (call: AnsweredCall) => void;
  /**
   * Called with an error of this machine, such as a full disk. The caller sees an internal failure
   * and tries again.
   */
  readonly onFailure?: (error: unknown) => void;
}

export interface ServiceRequest {
  readonly action: string;
  readonly input: CommandInput;
  readonly caller: string;
}

/** The connection was cut, so the caller cannot know whether the call had its effect. */
class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  readonly code = 'ECONNRESET';
  constructor() {
    super('socket hang up');
  }
}

/** @throws AwsError, ConnectionLostError */
export async function answerRequest(
  service: LocalService,
  request: ServiceRequest,
  options: CallOptions,
): Promise<ServiceAnswer> {
  const { action, input, caller } = request;
  const permission = `${service.name}:${service.permission?.(input, action) ?? action}`;
  const operation = { action, permission, resource: service.resource(input, action) };
  const fault = options.faults.for(service.name, operation);
  if (fault.latencyMilliseconds) await delay(fault.latencyMilliseconds);

  const outcome = fault.loseRequest ? undefined : await outcomeOf(service, request, fault, options);
  const answered = fault.loseAnswer ? undefined : outcome;
  const { readUnits, writeUnits } = outcome instanceof AwsError || !outcome ? {} : outcome;
  const status = answered instanceof AwsError ? answered.status : answered ? 200 : 0;
  options.onCall?.({ service: service.name, caller, ...operation, status, readUnits, writeUnits });

  if (!answered) throw new ConnectionLostError();
  if (answered instanceof AwsError) throw answered;
  return answered;
}

async function outcomeOf(
  service: LocalService,
  { action, input }: ServiceRequest,
  fault: Fault,
  { onFailure }: CallOptions,
) {
  try {
    if (fault.refuse) return new AwsError(fault.refuse.status, fault.refuse.code, fault.refuse.message);
    return await service.perform(action, input, fault);
  } catch (error) {
    if (error instanceof AwsError) return error;
    onFailure?.(error);
    return new AwsError(500, 'InternalFailure', `The local service failed: ${String(error)}`, { cause: error });
  }
}

/** Creates a client whose errors look like the errors of the SDK. */
export function createLocalClient(service: LocalService, options: CallOptions, caller = 'local'): Sender {
  return {
    async send({
      constructor: { name },
      input,
    }: {
      readonly constructor: { readonly name: string };
      input: CommandInput;
    }) {
      try {
        const { output } = await answerRequest(
          service,
          { action: name.replace(/Command$/, ''), input, caller },
          options,
        );
        return output;
      } catch (error) {
        throw error instanceof AwsError ? toSdkError(error) : error;
      }
    },
  };
}

/** Turns an error of a service into an error of the SDK's clients. */
function toSdkError({ code, message, status }: AwsError): Error {
  return Object.assign(new Error(message), { name: code, $metadata: { httpStatusCode: status } });
}
