/** The function's entry point. Creates settings, clients and clock at the first invocation. */
import { createAwsClients } from './aws.ts';
import { type Clients, createContainerTokens } from './compose.ts';
import { type InvocationContext, type InvocationResult, type Invoker, invoke } from './invocation.ts';
import { createLog } from './log.ts';
import { namingProxy } from './proxy.ts';
import { readSettings } from './settings.ts';
import { sha256, systemClock } from './system.ts';
import { createTelemetry } from './telemetry.ts';

let invoker: Invoker | undefined;

/**
 * Runs the streams from their checkpoints and forwards their changes to the delivery stream.
 *
 * @param event `{}`, or an operator's command: see command.ts
 * @throws SettingsError, CommandError, LeaseBusyError, StateError, StreamsFailedError
 */
export async function handler(event: unknown, context?: InvocationContext): Promise<InvocationResult> {
  invoker ??= compose();
  return invoke(event, context, invoker);
}

function compose(): Invoker {
  const settings = readSettings();
  const clients: Clients = {
    ...createAwsClients(settings),
    fetch: namingProxy((url, init) => fetch(url, init), settings.proxy),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: createLog(settings.connector),
  };
  const telemetry = createTelemetry(settings.connector);
  const memory = () => process.memoryUsage.rss();
  return { settings, clients, tokens: createContainerTokens(settings, clients), telemetry, memory };
}
