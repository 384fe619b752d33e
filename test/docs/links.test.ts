import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { anchors, links, PAGES, page, ROOT } from './pages.ts';

function faultOf(from: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? from : path.join(path.dirname(from), decodeURI(target));
  if (file.startsWith('..') || !existsSync(path.join(ROOT, file))) return `${link}: no such file`;
  if (anchor !== undefined && !anchors(page(file)).has(anchor)) return `${link}: no such heading`;
  return undefined;
}

test.each(PAGES)('every relative link of %s leads to a file, and to a heading that is there', name => {
  const relative = links(page(name)).filter(link => !/^[a-z]+:/.test(link));
  expect(relative.map(link => faultOf(name, link)).filter(Boolean)).toEqual([]);
});

test('the pages under test are README, CONTRIBUTING and those below docs/', () => {
  expect(PAGES).toEqual(
    expect.arrayContaining(['CONTRIBUTING.md', 'README.md', 'docs/architecture.md', 'docs/runbook.md']),
  );
});

test('every page below docs/ is within reach of the README by links', () => {
  const reached = new Set(['README.md']);
  for (const name of reached) {
    for (const link of links(page(name)).filter(each => !each.startsWith('#'))) {
      const target = path.join(path.dirname(name), link.split('#')[0]!);
      for (const each of PAGES) if (each === target || each.startsWith(`${target}/`)) reached.add(each);
    }
  }
  expect(PAGES.filter(name => !reached.has(name))).toEqual([]);
});

test('every file that a page names in code exists', () => {
  const named = /`((?:bin|lib|lambda|local|test|bench|docs)\/[\w./-]*\w(?:\.(?:ts|md|json))|\.ci\/run)`/g;
  const missing = PAGES.flatMap(name =>
    [...page(name).matchAll(named)].map(match => match[1]!).filter(file => !existsSync(path.join(ROOT, file))),
  );
  expect(missing).toEqual([]);
});

test('every test that the architecture names by its words is there', () => {
  const cited = [...page('docs/architecture.md').matchAll(/`(test\/[\w./-]+\.test\.ts)`: ([^|;]+?)(?=[;|]| \|)/g)];
  const missing = cited.filter(
    ([, file, words]) => !readFileSync(path.join(ROOT, file!), 'utf8').includes(`'${words!.trim()}'`),
  );
  expect(cited.length).toBeGreaterThan(8);
  expect(missing.map(([cite]) => cite)).toEqual([]);
});
