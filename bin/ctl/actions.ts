/** The commands, each in a few steps. */
import { systemClock } from '../../lambda/adapters/system-clock.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { carryOut } from './carry-out.ts';
import type { Actions, OrderOptions } from './command-line.ts';
import { confirm } from './confirm.ts';
import { readCredentials } from './credentials.ts';
import { RefusedError } from './errors.ts';
import { fillSecret } from './fill-secret.ts';
import { type FunctionEnvironment, readFunctionEnvironment, settingOf } from './function-environment.ts';
import { invokeFunction } from './invoke.ts';
import type { Order } from './order.ts';
import { resultText } from './result-text.ts';
import { readState } from './state.ts';
import { isDamaged, stateText } from './state-text.ts';

const UNTOLD = 'Say --function, or';

export const actions: Actions = {
  async status({ function: name, table }) {
    const environment = name === undefined ? undefined : await readFunctionEnvironment(name);
    const now = systemClock.now();
    const state = await readState(table ?? found(environment, 'STATE_TABLE', name, '--table'), now);
    console.log(stateText(state, now, streamsOff(environment)));
    if (isDamaged(state)) process.exitCode = 1;
  },

  drain: ({ stream, ...options }) => order(stream ? { streams: stream } : {}, options),

  resync: (streams, options) => order({ resync: streams }, options),

  async replay(streams, options) {
    const cost =
      `A replay reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
      'which Firehose, the SIEM and the API meter like a first run.';
    if (!options.yes) await confirm(cost);
    await order({ replay: streams }, options);
  },

  async fillSecret({ function: name, secret }) {
    const environment = secret === undefined && name !== undefined ? await readFunctionEnvironment(name) : undefined;
    const secretId = secret ?? found(environment, 'CREDENTIALS_SECRET_ID', name, '--secret');
    await fillSecret(secretId, await readCredentials(process.env));
    console.log(`The secret ${secretId} is filled. The next run uses it; "drain" starts one now.`);
  },
};

async function order(what: Order, { function: name, wait }: OrderOptions): Promise<void> {
  const invoke = (each: Order) => invokeFunction(name, each);
  console.log(resultText(await carryOut(what, { invoke, clock: systemClock, wait, say: line => console.error(line) })));
}

function found(environment: FunctionEnvironment | undefined, setting: string, name = '', option: string): string {
  if (!environment) throw new RefusedError(`${UNTOLD} ${option}. Nothing was done.`);
  return settingOf(environment, setting, name);
}

/** The streams without a path of their own that the settings give none. */
function streamsOff(environment: FunctionEnvironment | undefined) {
  if (!environment || environment['DNS_BLOCKS_PATH']) return [];
  return STREAMS.filter(stream => !('path' in stream)).map(stream => stream.name);
}
