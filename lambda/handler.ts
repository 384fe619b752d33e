/** Entry point of the function. It creates settings, clients and clock at the first invocation. */
import { createAwsClients } from './aws.ts';
import { createContainerParts } from './container-parts.ts';
import { type ContainerParts, type InvocationContext, type InvocationResult, invoke } from './invocation.ts';
import { readSettings } from './settings.ts';

let parts: ContainerParts | undefined;

/**
 * Runs the streams from their checkpoints and forwards their changes to the delivery stream.
 *
 * @param event `{}`, or an operator's command: see command.ts
 * @throws SettingsError, CommandError, LeaseBusyError, StateError, StreamsFailedError
 */
export async function handler(event: unknown, context?: InvocationContext): Promise<InvocationResult> {
  parts ??= compose();
  return invoke(event, context, parts);
}

function compose(): ContainerParts {
  const settings = readSettings();
  return createContainerParts(settings, createAwsClients(settings));
}
