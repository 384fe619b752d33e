import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../../lib/function/bundling.ts';
import { temporaryFolder } from '../parts/temporary-folder.ts';
import { HANDLER } from './function-process.ts';

interface Bundle extends AsyncDisposable {
  /** The one file that is deployed, in a folder with nothing else. */
  readonly module: URL;
  readonly bytes: number;
  /** Modules that it leaves to the runtime. */
  readonly imports: readonly string[];
}

/** The function, bundled with the options of lib/function/bundling.ts. */
export async function bundle(): Promise<Bundle> {
  const folder = await temporaryFolder('bundle-');
  const outfile = join(folder.path, 'index.mjs');
  const { metafile } = await build({
    entryPoints: [HANDLER.pathname],
    outfile,
    ...BUNDLE_OPTIONS,
    mainFields: [...BUNDLE_OPTIONS.mainFields],
    bundle: true,
    platform: 'node',
    metafile: true,
    logLevel: 'silent',
  });
  const output = Object.values(metafile.outputs).find(each => each.entryPoint !== undefined);
  return {
    module: pathToFileURL(outfile),
    bytes: (await stat(outfile)).size,
    imports: (output?.imports ?? []).filter(each => each.external).map(each => each.path),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
