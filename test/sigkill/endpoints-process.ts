/** The AWS endpoints in a process that outlives the runs, and kills each at its moment. Ends with its parent. */

import { startAws } from '../../local/aws/endpoints.ts';
import { createFaults } from '../../local/aws/faults.ts';
import type { FromEndpoints, ToEndpoints } from './endpoints.ts';
import { eventLoopTurns, Trigger } from './trigger.ts';

let trigger: Trigger | undefined;
const tell = (message: FromEndpoints) => process.send!(message);

process.on('message', (message: ToEndpoints) => {
  if (message.kind === 'start') void start(message);
  else {
    trigger = message.kind === 'aim' ? triggerAt(message) : undefined;
    tell({ kind: 'heard' });
  }
});

async function start({ directory, secret }: ToEndpoints & { kind: 'start' }): Promise<void> {
  const aws = await startAws({
    directory,
    secret,
    faults: { ...createFaults(), for: (_, operation) => trigger?.arrives(operation) ?? {} },
    onCall: call => trigger?.done(call),
  });
  process.once('disconnect', () => void aws.close());
  tell({ kind: 'started', environment: aws.environment, deliveredFolder: aws.deliveredFolder });
}

function triggerAt({ pid, moment }: ToEndpoints & { kind: 'aim' }): Trigger {
  const kill = (action: string): void => {
    trigger = undefined;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself a moment ago.
      return;
    }
    tell({ kind: 'killed', action });
  };
  return new Trigger(moment, kill, eventLoopTurns);
}
