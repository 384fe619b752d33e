import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withDocumentAddresses } from './document-addresses.ts';

const ROOT = path.join(import.meta.dirname, '..');

/**
 * Writes the declarations of the construct and the declarations that it imports, but no others.
 *
 * @returns paths of the declarations
 */
export function writeDeclarations(folder: string): string[] {
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '--project', 'packaging/tsconfig.json', '--outDir', folder];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  const needed = new Set<string>();
  const add = (file: string): void => {
    if (needed.has(file)) return;
    needed.add(file);
    // Some compilers do not resolve `.ts`, so imports end in `.js`.
    const text = withDocumentAddresses(readFileSync(file, 'utf8')).replace(/(["'])(\.[^"']+)\.ts\1/g, "'$2.js'");
    writeFileSync(file, text);
    for (const [, target] of text.matchAll(/'(\.[^']+)\.js'/g)) add(path.resolve(path.dirname(file), `${target}.d.ts`));
  };
  add(path.join(folder, 'packaging', 'construct.d.ts'));
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    if (!needed.has(path.join(folder, file))) rmSync(path.join(folder, file));
  }
  return [...needed].map(file => path.relative(folder, file));
}
