/** Records what is sent through SDK clients, so that the same calls can be made again without our code: the floor of their cost. */
import type { Sender } from '../lambda/aws.ts';

/** Makes a recorded call once more. */
export type SentAgain = () => Promise<unknown>;

export function recorder(): { readonly sent: readonly SentAgain[]; recording(client: Sender): Sender } {
  const sent: SentAgain[] = [];
  return {
    sent,
    recording: client => ({
      send(command) {
        const { constructor: Command, input } = command;
        sent.push(() => client.send(new Command(input)));
        return client.send(command);
      },
    }),
  };
}
