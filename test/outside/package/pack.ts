import path from 'node:path';
import { ROOT } from '../../documents/pages.ts';
import { succeed } from './run.ts';

export interface Packed {
  /** The file that `npm pack` made. */
  readonly file: string;
  /** Paths in it. */
  readonly files: readonly string[];
}

/**
 * Builds the package and packs it into a folder, as the release does. The clone's files stay as
 * they are.
 */
export async function pack(folder: string): Promise<Packed> {
  const place = { folder: ROOT };
  await succeed('npm', ['run', 'build', '--loglevel=error'], place);
  const args = ['pack', './dist', '--json', '--loglevel=error', '--pack-destination', folder];
  const { stdout } = await succeed('npm', args, place);
  const listed = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [{ filename, files }] = Array.isArray(listed) ? listed : Object.values(listed);
  return { file: path.join(folder, filename), files: files.map((each: { path: string }) => each.path) };
}
