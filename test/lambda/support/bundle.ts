import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { HANDLER } from './function-process.ts';

export interface Bundle extends AsyncDisposable {
  /** The one file that is deployed, in a folder with nothing else. */
  readonly module: URL;
  readonly bytes: number;
  /** Modules that it leaves to the runtime. */
  readonly imports: readonly string[];
}

/** The function, bundled with the options of lib/function/poller.ts. */
export async function bundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  const outfile = join(folder, 'index.mjs');
  const { metafile } = await build({
    entryPoints: [HANDLER.pathname],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    mainFields: ['module', 'main'],
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
  });
  const output = Object.values(metafile.outputs).find(each => each.entryPoint !== undefined);
  return {
    module: pathToFileURL(outfile),
    bytes: (await stat(outfile)).size,
    imports: (output?.imports ?? []).filter(each => each.external).map(each => each.path),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
