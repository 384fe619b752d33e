/** The function's entry, and nothing else: puts settings, clients and clock together at the first invocation. */
import { createAwsClients } from './adapters/aws-clients.ts';
import { sha256 } from './adapters/sha256.ts';
import { createLog } from './adapters/structured-log.ts';
import { systemClock } from './adapters/system-clock.ts';
import { createTelemetry } from './adapters/telemetry.ts';
import { type InvocationContext, type InvocationResult, type Invoker, invoke } from './invocation.ts';
import { readSettings } from './settings.ts';
import { createContainerTokens, type Edges } from './world.ts';

let invoker: Invoker | undefined;

/**
 * Drains the streams from their checkpoints into the delivery stream.
 *
 * @param event `{}`, or an operator's commands: see order.ts
 * @throws SettingsError, CommandError, LeaseBusyError, StateError, StreamsFailedError
 */
export async function handler(event: unknown, context?: InvocationContext): Promise<InvocationResult> {
  invoker ??= compose();
  return invoke(event, context, invoker);
}

function compose(): Invoker {
  const settings = readSettings();
  const edges: Edges = {
    ...createAwsClients(settings),
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: createLog(settings.connector),
  };
  const telemetry = createTelemetry(settings.connector);
  const memory = () => process.memoryUsage.rss();
  return { settings, edges, tokens: createContainerTokens(settings, edges), telemetry, memory };
}
