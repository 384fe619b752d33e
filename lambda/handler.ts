/** Entry point of the function. It creates settings, clients and clock at the first invocation. */
import { createAwsClients } from './aws.ts';
import { type InvocationContext, type InvocationResult, type Invoker, invoke } from './invocation.ts';
import { createInvoker } from './invoker.ts';
import { readSettings } from './settings.ts';

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
  return createInvoker(settings, createAwsClients(settings));
}
