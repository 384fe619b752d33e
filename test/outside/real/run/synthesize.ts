import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { command } from '../../../support/parts/command.ts';
import { temporaryFolder } from '../../../support/parts/temporary-folder.ts';

export interface Synthesized extends AsyncDisposable {
  /** The function's code in the assembly. */
  readonly module: string;
  readonly nodeOptions: string;
}

interface Resource {
  readonly Metadata: Readonly<Record<string, string>>;
  readonly Properties?: { readonly Environment?: { readonly Variables: Readonly<Record<string, string>> } };
}

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/** Synthesizes the stack as a deployment does, and finds the function's bundle in it. */
export async function synthesize(): Promise<Synthesized> {
  const temporary = await temporaryFolder('assembly-');
  const { path: folder } = temporary;
  try {
    await command(join(ROOT, 'node_modules', '.bin', 'cdk'), ['synth', '--quiet', '--output', folder], 120);
    const [template = ''] = (await readdir(folder)).filter(name => name.endsWith('.template.json'));
    const { Resources } = JSON.parse(await readFile(join(folder, template), 'utf8'));
    const isOurs = (each: Resource) => each.Properties?.Environment?.Variables['STATE_TABLE'] !== undefined;
    const found = (Object.values(Resources) as Resource[]).find(isOurs);
    if (!found) throw new Error('The template has no function with the settings of the connector');
    const module = join(folder, found.Metadata['aws:asset:path']!, 'index.mjs');
    const nodeOptions = found.Properties?.Environment?.Variables['NODE_OPTIONS'] ?? '';
    return { module: pathToFileURL(module).href, nodeOptions, [Symbol.asyncDispose]: temporary[Symbol.asyncDispose] };
  } catch (error) {
    await temporary[Symbol.asyncDispose]();
    throw error;
  }
}
