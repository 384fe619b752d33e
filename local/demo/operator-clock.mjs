/**
 * Gives an operator's process the clock of the demo, where an hour passes in a minute: ages, leases and metrics would have other times
 * otherwise. `node --import` loads it before the command.
 */
const url = process.env.DEMO_URL;
const MachineDate = Date;
const began = MachineDate.now();
const answer = url === undefined ? undefined : await fetch(new URL('clock', url)).catch(() => undefined);
if (answer?.ok) {
  const { now, minuteTakes } = await answer.json();
  const current = () => Math.floor(now + ((MachineDate.now() - began) * 60_000) / minuteTakes);
  globalThis.Date = class extends MachineDate {
    constructor(...given) {
      if (given.length === 0) super(current());
      else super(...given);
    }
    static now() {
      return current();
    }
  };
} else if (url !== undefined) {
  console.error(`The demo does not answer at ${url}. Start it with "npm run demo".`);
  process.exit(1);
}
