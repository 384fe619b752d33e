import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { anchors, links, onPages, PAGES, page, ROOT } from './pages.ts';
import { SECURITY_STATEMENTS } from './security-statements.ts';

function problemOf(from: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? from : path.join(path.dirname(from), decodeURI(target));
  if (file.startsWith('..') || !existsSync(path.join(ROOT, file))) return `${link}: no such file`;
  if (anchor !== undefined && !anchors(page(file)).has(anchor)) return `${link}: no such heading`;
  return undefined;
}

test('every relative link of a page leads to an existing file and heading', () => {
  const found = PAGES.flatMap(name => links(page(name)).map(link => ({ name, link })));
  const relative = found.filter(({ link }) => !/^[a-z]+:/.test(link));
  expect(relative.length).toBeGreaterThan(200);
  const problems = relative.map(({ name, link }) => ({ name, problem: problemOf(name, link) }));
  expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test('the tested pages are README, CONTRIBUTING and the pages in docs/', () => {
  expect(PAGES).toEqual(
    expect.arrayContaining(['CONTRIBUTING.md', 'README.md', 'docs/architecture.md', 'docs/runbook.md']),
  );
});

test('every page in docs/ can be reached from the README by links', () => {
  const reached = new Set(['README.md']);
  for (const name of reached) {
    for (const link of links(page(name)).filter(each => !each.startsWith('#'))) {
      const target = path.join(path.dirname(name), link.split('#')[0]!);
      for (const each of PAGES) if (each === target || each.startsWith(`${target}/`)) reached.add(each);
    }
  }
  expect(PAGES.filter(name => !reached.has(name))).toEqual([]);
});

test('every file that a page names in code format exists', () => {
  const named = /`((?:bin|lib|lambda|local|test|bench|docs)\/[\w./-]*\w(?:\.(?:ts|md|json))|\.ci\/run)`/g;
  const files = onPages(named);
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter(({ found }) => !existsSync(path.join(ROOT, found)))).toEqual([]);
});

const security = page('docs/security.md').replaceAll(/\s+/g, ' ');
const STATEMENTS = Object.entries(SECURITY_STATEMENTS).flatMap(([file, names]) =>
  Object.entries(names).map(([words, name]) => ({ words, file, name })),
);

test.each(STATEMENTS)('a test proves the statement in docs/security.md: $words', ({ words, file, name }) => {
  expect(security).toContain(words);
  expect(page(file)).toContain(name);
});

test('every statement in docs/security.md that is marked as held has a test', () => {
  const marked = security.split('✓ ').slice(2);
  const statements = marked.map(text => text.split(/ - | ✓|## /)[0]!);
  expect(statements.length).toBeGreaterThan(12);
  expect(statements.filter(text => !STATEMENTS.some(({ words }) => text.includes(words)))).toEqual([]);
});
