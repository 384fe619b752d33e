import { describe, expect, test } from '@jest/globals';
import { groupPages } from '../../lambda/core/page-groups.ts';
import type { ReadPage } from '../../lambda/core/read-pages.ts';

interface Page extends ReadPage {
  readonly n: number;
}

/** Pages that arrive when the test says so. */
class Pages {
  /** Numbers of the pages that were asked for. */
  asked = 0;
  isLeft = false;
  readonly #all: readonly (Partial<ReadPage> | Error)[];
  #signal: AbortSignal | undefined;

  constructor(...all: (Partial<ReadPage> | Error)[]) {
    this.#all = all;
  }

  get isAborted(): boolean {
    return this.#signal!.aborted;
  }

  async *read(left: AbortSignal): AsyncGenerator<Page, void, void> {
    this.#signal = left;
    try {
      for (const [n, page] of this.#all.entries()) {
        this.asked = n + 1;
        if (page instanceof Error) throw page;
        const usual = { rows: [], sent: undefined, next: 'c', rewound: false, repeats: false, names: {}, bytes: 1 };
        yield { ...usual, ...page, n: n + 1 };
      }
    } finally {
      this.isLeft = true;
    }
  }
}

/** Lets everything happen that can happen without the work on a group. */
const settled = () => new Promise(setImmediate);

/** The numbers of the pages of each group, when the work on a group is slow. */
async function groupsOf(pages: Pages, limits = { pages: 8, bytes: 100 }): Promise<number[][]> {
  const groups: number[][] = [];
  for await (const group of groupPages(left => pages.read(left), limits)) {
    groups.push(group.map(page => (page as Page).n));
    await settled();
  }
  return groups;
}

const pages = (count: number, page: Partial<ReadPage> = {}) => Array.from({ length: count }, () => page);

describe('a group of pages', () => {
  test('the first page is processed at once, and pages that arrive during this time form the next group', async () => {
    expect(await groupsOf(new Pages(...pages(5)))).toEqual([[1], [2, 3, 4, 5]]);
  });

  test('a group of pages is limited in number, and fetching waits while the group is full', async () => {
    const some = new Pages(...pages(9));
    const groups = groupPages(left => some.read(left), { pages: 3, bytes: 100 });
    await groups.next();
    await settled();
    // Three have arrived and wait. No further one is asked for.
    expect(some.asked).toBe(4);
    expect((await groups.next()).value).toHaveLength(3);
    await settled();
    expect(some.asked).toBe(7);
    await groups.return();
  });

  test('a group of pages has a maximum size in bytes, which only a single page may exceed', async () => {
    expect(await groupsOf(new Pages(...pages(6, { bytes: 60 })))).toEqual([[1], [2, 3], [4, 5], [6]]);
    expect(await groupsOf(new Pages(...pages(3, { bytes: 500 })))).toEqual([[1], [2], [3]]);
  });

  test('a page read after a rewind of the cursor begins a new group', async () => {
    const some = new Pages({}, {}, {}, { rewound: true }, {}, { rewound: true });
    expect(await groupsOf(some)).toEqual([[1], [2, 3], [4, 5], [6]]);
  });

  test('an empty sequence of pages does not make a group', async () => {
    expect(await groupsOf(new Pages())).toEqual([]);
  });
});

test('a failed fetch is reported only after the pages that arrived before it', async () => {
  const some = new Pages({}, {}, {}, new Error('cable cut'));
  const groups: number[] = [];
  const reading = async () => {
    for await (const group of groupPages(left => some.read(left))) {
      groups.push(group.length);
      await settled();
    }
  };
  await expect(reading()).rejects.toThrow('cable cut');
  expect(groups).toEqual([1, 2]);
});

test.each([
  ['by a break', 'break'],
  ['by a failure', 'throw'],
])('a consumer that leaves %s aborts the fetch and waits for its end, even in a full group', async (_how, how) => {
  const some = new Pages(...pages(9));
  const reading = async () => {
    for await (const _ of groupPages(left => some.read(left), { pages: 2, bytes: 100 })) {
      await settled();
      if (how === 'throw') throw new Error('refused');
      break;
    }
  };
  await reading().catch(error => expect(error.message).toBe('refused'));
  expect(some.isAborted).toBe(true);
  expect(some.isLeft).toBe(true);
  expect(some.asked).toBe(3);
});
