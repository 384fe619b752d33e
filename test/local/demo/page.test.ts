/** Parts of the page that need no browser. test/browser has the page itself. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const PAGE = new URL('../../../local/demo/page/', import.meta.url);
const { scaleTop } = (await import(new URL('format.js', PAGE).href)) as { scaleTop(values: readonly number[]): number };

describe('the page of the demo', () => {
  test('a line has the scale of its last half hour, so that one spike does not flatten it for longer', () => {
    const quiet = Array.from({ length: 30 }, () => 10);
    expect(scaleTop([1_000, ...quiet])).toBeCloseTo(11);
    expect(scaleTop([...quiet, 1_000])).toBeCloseTo(1_100);
    expect(scaleTop([0])).toBe(1);
  });

  test.each(['light', 'dark'])('no two lines of a %s chart have one colour', theme => {
    const script = readFileSync(new URL('charts.js', PAGE), 'utf8');
    const colors = new RegExp(`${theme}: \\[([^\\]]*)\\]`).exec(script)![1]!.match(/#[0-9a-f]{6}/g)!;
    expect(colors.length).toBeGreaterThan(10);
    expect(new Set(colors).size).toBe(colors.length);
  });
});

/** As much of an element as the scripts of the page use. */
class FakeElement {
  readonly attributes = new Map<string, string>();
  readonly dataset: Record<string, string> = {};
  children: (FakeElement | string)[] = [];
  readonly tag: string;
  constructor(tag: string) {
    this.tag = tag;
  }
  get cells(): (FakeElement | string)[] {
    return this.children;
  }
  get tBodies(): FakeElement[] {
    return [this];
  }
  readonly firstElementChild = null;
  get textContent(): string {
    return this.children.map(child => (typeof child === 'string' ? child : child.textContent)).join('|');
  }
  set textContent(value: string) {
    this.children = [value];
  }
  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
  }
  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = children;
  }
  insertBefore(child: FakeElement): void {
    this.children.push(child);
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  showModal(): void {}
}

describe('the scripts of the page', () => {
  const elements = new Map<string, FakeElement>();
  const named = (id: string): FakeElement => {
    const found = elements.get(id) ?? new FakeElement(id);
    elements.set(id, found);
    return found;
  };
  const answer = { body: {} as object, ok: true };
  const load = (name: string) => import(new URL(name, PAGE).href);

  beforeAll(() => {
    const fakes = {
      document: { createElement: (tag: string) => new FakeElement(tag), getElementById: named, querySelector: named },
      fetch: async () => ({ ok: answer.ok, json: async () => answer.body, text: async () => 'The demo is starting.' }),
    };
    for (const [name, value] of Object.entries(fakes))
      Object.defineProperty(globalThis, name, { value, configurable: true });
  });
  afterAll(() => void Reflect.deleteProperty(globalThis, 'document'));

  test('a row of a table begins with its heading, and has a cell for each other value', async () => {
    const { tableRows } = await load('dom.js');
    const table = new FakeElement('table');
    tableRows(table, ['assets'], String, () => [['assets'], ['caught up'], [7]]);
    expect(table.children.map(row => (row as FakeElement).textContent)).toEqual(['assets|caught up|7']);
  });

  test('only a version from before the demo has no time', async () => {
    const { showRow } = await load('row.js');
    const version = (at: number | null) => ({ at, change: 'new', row: '{}' });
    answer.body = { summary: '', events: [], state: null, noState: 'None.', versions: [version(null), version(0)] };
    await showRow('assets', 'a');
    const [newest, first] = named('row-versions').children.map(item => (item as FakeElement).textContent);
    expect(newest).not.toContain('before the demo began');
    expect(first).toContain('before the demo began');
  });

  test('a row that cannot be read is shown as a fault', async () => {
    const { showRow } = await load('row.js');
    answer.ok = false;
    await showRow('assets', 'a');
    expect(named('notice').textContent).toContain('The demo is starting.');
    expect(named('notice').getAttribute('data-fault')).toBe('true');
  });
});
