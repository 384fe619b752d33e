import type { Sender } from '../../lambda/aws.ts';

/** Commands that change nothing. */
const READS = /^(BatchGet|Describe|Get|Head|List|Query|Receive|Scan)/;

/**
 * Makes Ctrl-C end a client's reads at once. What writes is let to its end, which is near: cut off halfway, nobody could say
 * whether it was done.
 */
export function interruptible<T extends Sender>(client: T, signal: AbortSignal): T {
  const send = client.send.bind(client);
  client.send = (command: object, options: object = {}) => {
    const cut = READS.test(command.constructor.name) ? { abortSignal: signal } : {};
    return (send as (command: object, options: object) => Promise<unknown>)(command, { ...cut, ...options });
  };
  return client;
}
