/** An operator's shell: `connectorctl` in this process, or in processes of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClientOptions } from '../../../bin/ctl/aws.ts';
import { connectorctl } from '../../../bin/ctl/command-line.ts';
import type { Clock } from '../../../lambda/ports.ts';
import { ROOT } from '../../documents/pages.ts';

/** What is tested: the sources, or what `npm run test:package` installed, with the Node that it is to run on. */
const INSTALLED = process.env['INSTALLED_CONNECTORCTL']?.split(' ');
export const [NODE, PROGRAM] = (INSTALLED ?? [process.execPath, path.join(ROOT, 'bin', 'connectorctl.ts')]) as [
  string,
  string,
];

/** Users of the package type another command. The rest of the output is the same. */
function asInClone(printed: string): string {
  return INSTALLED ? printed.replaceAll('npx --no -- connectorctl', 'npm run connectorctl --') : printed;
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Ctrl-C. */
  interrupt(): void;
  readonly ended: Promise<Ended>;
}

export interface Typed {
  readonly environment: Readonly<Record<string, string>>;
  /** @default the project's */
  readonly folder?: string;
  /** What a pipe brings. @default nothing */
  readonly input?: string;
  /** @default the machine's. A process has that one. */
  readonly clock?: Clock;
  /** A terminal to be asked on, without colours. A process has none. */
  readonly interactive?: boolean;
}

/** The installed program runs in processes of its own, which have neither a terminal nor another clock. */
export function start(args: readonly string[], typed: Typed): Started {
  const isHere = !INSTALLED || typed.interactive || typed.clock;
  return isHere ? startHere(args, typed) : startProcess(args, typed);
}

/** In a process of its own, without a terminal. */
export function startProcess(args: readonly string[], typed: Typed): Started {
  const { environment, folder = ROOT, input = '' } = typed;
  const child = spawn(NODE, [PROGRAM, ...args], {
    env: environment,
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const closed = once(child as ChildProcess, 'close') as Promise<[number | null]>;
  const { stdin, stdout, stderr } = child;
  // A program that reads nothing closes the pipe.
  stdin.on('error', () => undefined).end(input);
  const interrupt = () => void child.kill('SIGINT');
  return {
    stdin,
    stdout,
    stderr,
    interrupt,
    ended: endedOf(
      stdout,
      stderr,
      closed.then(([status]) => status),
    ),
  };
}

function startHere(args: readonly string[], typed: Typed): Started {
  const { environment, folder = ROOT, interactive = false, input = '', clock } = typed;
  const terminal = () => Object.assign(new PassThrough(), interactive && { isTTY: true });
  const [stdin, stdout, stderr] = [terminal(), new PassThrough(), terminal()];
  if (!interactive) stdin.end(input);
  const interruption = new AbortController();
  const shell = { stdin, stdout, stderr, environment, folder };
  const status = connectorctl(args, {
    shell,
    signal: interruption.signal,
    ...(clock && { clock }),
    clientOptions: service => clientOptions(environment, service),
  }).finally(() => {
    stdout.end();
    stderr.end();
  });
  return { stdin, stdout, stderr, interrupt: () => interruption.abort(), ended: endedOf(stdout, stderr, status) };
}

async function endedOf(stdout: Readable, stderr: Readable, status: Promise<number | null>): Promise<Ended> {
  // The text of a stream that the test closed does not matter.
  const all = (output: Readable) => text(output).catch(() => '');
  const [printed, said, ended] = await Promise.all([all(stdout), all(stderr), status]);
  return { status: ended, stdout: asInClone(printed), stderr: asInClone(said) };
}

/** What the SDK calls services in variables. */
const NAMES: Readonly<Record<string, string>> = { secrets: 'SECRETS_MANAGER', logs: 'CLOUDWATCH_LOGS' };

/** The SDK's own. Each client would look for them in the environment and in files, which takes longer than its calls. */
const DEFAULTS = {
  defaultsMode: 'legacy',
  maxAttempts: 3,
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
};

/** What the SDK would read from the environment of a process. */
export function clientOptions(environment: Typed['environment'], service: Parameters<ClientOptions>[0]): object {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = environment;
  const name = NAMES[service] ?? service.toUpperCase();
  const endpoint = environment[`AWS_ENDPOINT_URL_${name}`];
  const pathStyle = service === 's3' && { forcePathStyle: true };
  return { ...DEFAULTS, region, endpoint, credentials: { accessKeyId, secretAccessKey }, ...pathStyle };
}
