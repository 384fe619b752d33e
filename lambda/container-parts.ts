import type { AwsClients } from './aws.ts';
import { type Clients, createContainerTokenSource } from './compose.ts';
import type { ContainerParts } from './invocation.ts';
import { createLog } from './log.ts';
import { withProxyErrors } from './proxy.ts';
import type { Settings } from './settings.ts';
import { sha256, systemClock } from './system.ts';
import { createTelemetry } from './telemetry.ts';

/** Creates the parts of a container, with the clock and the network of this machine. */
export function createContainerParts(settings: Settings, aws: AwsClients): ContainerParts {
  const clients: Clients = {
    ...aws,
    fetch: withProxyErrors((url, init) => fetch(url, init), settings.proxy),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: createLog(settings.connector),
  };
  return {
    settings,
    clients,
    tokens: createContainerTokenSource(settings, clients),
    telemetry: createTelemetry(settings.connector),
    memory: () => process.memoryUsage.rss(),
  };
}
