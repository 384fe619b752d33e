/**
 * Gives an operator's process the variables and the clock of the demo, where an hour passes in a minute: ages, leases and metrics would have
 * other times otherwise. `node --import` loads it before the command.
 *
 * While the command waits for answers, its clock runs as the machine's, because its time limits are meant for that. Between them it is set
 * again.
 */
import { subscribe } from 'node:diagnostics_channel';

const MachineDate = Date;
const IDLE_MILLISECONDS = 100;
const url = demoUrl();
let ahead = 0;
let pending = 0;
let quietSince = MachineDate.now();

/** Of the file that a running demo keeps. Without it, the command would use the AWS account of this machine. */
function demoUrl() {
  try {
    process.loadEnvFile('.local/demo.env');
    return process.env.DEMO_URL;
  } catch {
    console.error('The demo does not run. Start it with "npm run demo", in this folder and in another terminal.');
    process.exit(1);
  }
}

/** @returns whether the demo has answered */
async function set() {
  const answer = await fetch(new URL('clock', url)).catch(() => undefined);
  if (!answer?.ok) return false;
  const { now } = await answer.json();
  ahead = now - MachineDate.now();
  return true;
}

function count(change) {
  return ({ request }) => {
    if (String(request.origin ?? '').startsWith(new URL(url).origin)) return;
    pending += change;
    quietSince = MachineDate.now();
  };
}

function watchRequests() {
  subscribe('http.client.request.start', count(1));
  subscribe('http.client.response.finish', count(-1));
  subscribe('http.client.request.error', count(-1));
  subscribe('undici:request:create', count(1));
  subscribe('undici:request:trailers', count(-1));
  subscribe('undici:request:error', count(-1));
  const timer = setInterval(() => {
    if (pending <= 0 && MachineDate.now() - quietSince > IDLE_MILLISECONDS) void set();
  }, IDLE_MILLISECONDS);
  timer.unref();
}

if (!(await set())) {
  console.error(`The demo does not answer at ${url}. Start it with "npm run demo".`);
  process.exit(1);
}
watchRequests();
globalThis.Date = class extends MachineDate {
  constructor(...given) {
    if (given.length === 0) super(MachineDate.now() + ahead);
    else super(...given);
  }
  static now() {
    return MachineDate.now() + ahead;
  }
};
