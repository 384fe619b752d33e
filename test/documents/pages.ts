/** The project's pages, as the tests of the documents read them. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '..', '..');

/** Every page, as a path from the root. */
export const PAGES: readonly string[] = globSync(['*.md', 'docs/**/*.md', 'examples/*/README.md'], {
  cwd: ROOT,
}).sort();

export function page(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

/** All matches of a pattern in all pages, the first group of each, with its page. */
export function onPages(pattern: RegExp, names: readonly string[] = PAGES): { name: string; found: string }[] {
  return names.flatMap(name => [...page(name).matchAll(pattern)].map(match => ({ name, found: match[1] ?? match[0] })));
}

/** The lines below a heading, up to the next of the same or a higher level. */
export function section(text: string, heading: string): string {
  const level = /^#+/.exec(heading)![0].length;
  const [, after] = text.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`There is no heading "${heading}"`);
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0]!;
}

/** The cells of each row of a section's tables, without head and rule. */
export function rows(text: string): string[][] {
  const lines = text.split('\n').filter(line => line.startsWith('|'));
  const cells = lines.map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
  return cells.filter((_, index) => !isRule(cells[index]) && !isRule(cells[index + 1]));
}

function isRule(cells: readonly string[] | undefined): boolean {
  return cells?.every(cell => /^:?-+:?$/.test(cell)) ?? false;
}

/** The code of the fenced blocks in a language. */
export function code(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(match => match[1]!);
}

/** The anchors that GitHub gives the headings of a page. */
export function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading] of withoutFences(text).matchAll(/^#+ (.+)$/gm)) {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; found.has(anchor); n++) anchor = `${slug}-${n}`;
    found.add(anchor);
  }
  return found;
}

/** Where a page's links lead, as they are written. */
export function links(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1]!);
}

function withoutCode(text: string): string {
  return withoutFences(text).replace(/`[^`\n]*`/g, '`');
}

function withoutFences(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}
