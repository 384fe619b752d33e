/** Runs the bundled function in a process of its own, against the sink in another process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { BUNDLE_OPTIONS } from '../lib/function/bundling.ts';
import { PROCESS_ENVIRONMENT } from '../lib/function/function-environment.ts';
import type { ContainerRun } from './container.ts';
import type { BenchStream, DeliveredRow } from './rows.ts';
import type { Delays, Usage } from './sink.ts';

const HERE = import.meta.dirname;
const MODULES = { handler: path.join(HERE, '..', 'lambda', 'handler.ts'), bare: path.join(HERE, 'bare-loop.ts') };

export type StreamRows = Readonly<Partial<Record<BenchStream, readonly DeliveredRow[]>>>;

export interface Container {
  /** Invokes the function once. @throws Error when the run fails, or does not catch up */
  run(event?: object): Promise<ContainerRun>;
}

export class Scene implements AsyncDisposable {
  readonly #folder: string;
  readonly #sink: ChildProcess;
  readonly #url: string;
  readonly #containers: ChildProcess[] = [];

  private constructor(folder: string, sink: ChildProcess, url: string) {
    this.#folder = folder;
    this.#sink = sink;
    this.#url = url;
  }

  static async open(mode: Delays): Promise<Scene> {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
    const sink = fork(path.join(HERE, 'sink.ts'), { silent: true, execArgv: ['--no-warnings'] });
    sink.stderr!.pipe(process.stderr);
    const [line] = await once(createInterface(sink.stdout!), 'line');
    const scene = new Scene(folder, sink, JSON.parse(line));
    await scene.mode(mode);
    return scene;
  }

  mode(mode: Delays): Promise<unknown> {
    return this.#post('mode', mode);
  }

  append(rows: StreamRows): Promise<unknown> {
    return this.#post('append', rows);
  }

  async used(): Promise<Usage> {
    return (await (await fetch(`${this.#url}/used`)).json()) as Usage;
  }

  /** Starts a new process, with a bundle that is made and started as the function's bundle is. */
  async container(module: keyof typeof MODULES = 'handler'): Promise<Container> {
    const bundle = path.join(this.#folder, `${module}.mjs`);
    for (const [name, contents] of await bundled(module)) await writeFile(path.join(this.#folder, name), contents);
    const child = fork(path.join(HERE, 'container.ts'), [bundle], {
      env: this.#environment(),
      silent: true,
      execArgv: ['--no-warnings'],
    });
    this.#containers.push(child);
    child.stderr!.pipe(process.stderr);
    return containerOf(child);
  }

  #environment(): Record<string, string> {
    return {
      API_BASE_URL: this.#url,
      AUTH_URL: this.#url,
      DNS_BLOCKS_PATH: '/v1/dns-blocks',
      CREDENTIALS_SECRET_ID: 'secret',
      STATE_TABLE: 'table',
      DELIVERY_STREAM: 'stream',
      DEAD_LETTER_BUCKET: 'bucket',
      CONNECTOR_NAME: 'bench',
      AWS_ENDPOINT_URL: this.#url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      ...PROCESS_ENVIRONMENT,
    };
  }

  #post(name: string, body: object): Promise<unknown> {
    return fetch(`${this.#url}/${name}`, { method: 'POST', body: JSON.stringify(body) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const children = [this.#sink, ...this.#containers].filter(({ exitCode }) => exitCode === null);
    await Promise.all(
      children.map(child => {
        const ended = once(child, 'exit');
        child.kill();
        return ended;
      }),
    );
    await rm(this.#folder, { recursive: true });
  }
}

type Files = readonly (readonly [name: string, contents: Uint8Array])[];

const bundles = new Map<string, Promise<Files>>();

/** Returns the bundle and its source map, which are made only once. */
function bundled(module: keyof typeof MODULES): Promise<Files> {
  const found = bundles.get(module) ?? bundle(module);
  bundles.set(module, found);
  return found;
}

async function bundle(module: keyof typeof MODULES): Promise<Files> {
  const { outputFiles } = await build({
    ...BUNDLE_OPTIONS,
    mainFields: [...BUNDLE_OPTIONS.mainFields],
    entryPoints: [MODULES[module]],
    outfile: `${module}.mjs`,
    bundle: true,
    write: false,
    platform: 'node',
    logLevel: 'error',
  });
  return outputFiles.map(({ path: file, contents }) => [path.basename(file), contents] as const);
}

function containerOf(child: ChildProcess): Container {
  // The output is read, because the function would otherwise wait for somebody to read its log.
  child.stdout!.resume();
  return {
    async run(event = {}) {
      child.send(event);
      const ended = once(child, 'exit').then(() => ({ error: 'The process ended' }));
      const [run] = (await Promise.race([once(child, 'message'), ended.then(failure => [failure])])) as [ContainerRun];
      if (run.error) throw new Error(`A run failed: ${run.error}`);
      return run;
    },
  };
}
