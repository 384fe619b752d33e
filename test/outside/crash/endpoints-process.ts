/** The AWS endpoints in a process that outlives the runs and kills each run at its chosen moment. Ends with its parent. */

import { createFaults } from '../../../local/aws/faults.ts';
import { running } from '../real/running.ts';
import { type AwsUnderTest, startAwsUnderTest } from '../real/support/aws-under-test.ts';
import type { FromEndpoints, ToEndpoints } from './endpoints.ts';
import { eventLoopTurns, Trigger } from './trigger.ts';

let trigger: Trigger | undefined;
let aws: AwsUnderTest | undefined;
const send = (message: FromEndpoints) => process.send!(message);

process.on('message', (message: ToEndpoints) => {
  if (message.kind === 'start') void start(message);
  else if (message.kind === 'read') void aws?.delivered().then(lines => send({ kind: 'lines', lines }));
  else {
    trigger = message.kind === 'aim' ? triggerAt(message) : undefined;
    send({ kind: 'heard' });
  }
});

async function start({ directory, secret }: ToEndpoints & { kind: 'start' }): Promise<void> {
  const started = await startAwsUnderTest({
    directory,
    secret,
    faults: { ...createFaults(), for: (_, operation) => trigger?.arrives(operation) ?? {} },
    onCall: call => trigger?.done(call),
  });
  process.once('disconnect', () => void started.close());
  aws = started;
  const deliveredFolder = running().moto ? undefined : started.deliveredFolder;
  send({ kind: 'started', environment: started.environment, deliveredFolder });
}

function triggerAt({ pid, moment }: ToEndpoints & { kind: 'aim' }): Trigger {
  const kill = (action: string): void => {
    trigger = undefined;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has just ended by itself.
      return;
    }
    send({ kind: 'killed', action });
  };
  return new Trigger(moment, kill, eventLoopTurns);
}
