/** The order in which a page is committed, and what a failure at each step leaves for the next run. */
import { describe, expect, test } from '@jest/globals';
import { CursorRefusedError, DeliveryError, LeaseLostError, OutOfTimeError } from '../../../lambda/core/errors.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

/** Steps of one list may take place in any order. */
const ORDER: readonly (readonly string[])[] = [
  ['look-up'],
  ['intents', 'children'],
  ['dead-letter'],
  ['delivery'],
  ['removals'],
  ['states'],
  ['checkpoint'],
];
const rank = (step: string) => ORDER.findIndex(group => group.some(each => step.split(' ')[1] === each));

/** A page that needs every step of its stream. */
const PAGES: Partial<Record<StreamName, readonly string[]>> = {
  assets: ['{"name":"x"}', asset('b'), tombstone('a', { version: 2 })],
  threats: ['{"name":"x"}', threat('t', 'a')],
  'dns-blocks': ['{"name":"x"}', dnsBlock('d')],
};
/** One of each sort of stream. */
type Tested = 'assets' | 'threats' | 'dns-blocks';
const PATHS = { assets: '/a', threats: '/t', 'dns-blocks': '/d' };
const STEPS: Readonly<Record<Tested, readonly string[]>> = {
  assets: ['look-up', 'intents', 'dead-letter', 'delivery', 'removals', 'states', 'checkpoint'],
  threats: ['look-up', 'intents', 'children', 'dead-letter', 'delivery', 'states', 'checkpoint'],
  'dns-blocks': ['dead-letter', 'delivery', 'checkpoint'],
};
const FAULTS = Object.entries(STEPS).flatMap(([stream, steps]) => steps.map(step => [stream as Tested, step] as const));

/** Asset `a` is known, and the page comes next. */
async function prepared(stream: Tested): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', [[asset('a', { version: 1 })], []]);
  if (stream === 'assets') await harness.runStream('assets');
  harness.later().api.on(PATHS[stream], harness.table.checkpoint(stream).cursor, answer(PAGES[stream]!, 'next'));
  harness.api.on(PATHS[stream], 'next', answer([], null));
  return harness;
}

describe('commit order', () => {
  test.each(FAULTS)(
    'each step is awaited: while %s waits for its %s, nothing after it begins',
    async (stream, step) => {
      const harness = await prepared(stream);
      let begunBehind: string[] = [];
      harness.journal.hook = async name => {
        if (name.split(' ')[1] !== step) return;
        await new Promise(setImmediate);
        begunBehind = harness.journal.begun.filter(each => rank(each) > rank(name));
      };
      await harness.runStream(stream);
      expect(harness.journal.done.some(each => each.split(' ')[1] === step)).toBe(true);
      expect(begunBehind).toEqual([]);
    },
  );

  test.each(FAULTS)(
    'when %s fails at its %s, what comes after is not done, and the next run loses nothing',
    async (stream, step) => {
      const harness = await prepared(stream);
      const saved = harness.table.checkpoint(stream);
      harness.journal.hook = name => {
        if (name.split(' ')[1] === step) throw new DeliveryError(`fault at ${name}`);
      };
      await expect(harness.runStream(stream)).rejects.toThrow(/fault at/);
      expect(harness.journal.begun.filter(each => rank(each) > rank(`- ${step}`))).toEqual([]);
      expect(harness.table.checkpoint(stream)).toBe(saved);

      const sentBefore = harness.events;
      harness.journal.hook = () => undefined;
      await harness.runStream(stream);
      const again = harness.events.slice(sentBefore.length);
      const page = { assets: ['upsert b', 'tombstone a'], threats: ['upsert t'], 'dns-blocks': ['dns_block d'] }[
        stream
      ];
      // The row states were written, and say what the SIEM has.
      const isKnown = step === 'checkpoint' && stream !== 'dns-blocks';
      expect(again.map(({ kind, id }) => `${kind} ${id}`)).toEqual(isKnown ? [] : page);
      // A repeat has the same event_id.
      const eventIds = new Set([...sentBefore, ...again].map(each => each.event_id));
      expect(eventIds.size).toBe(page.length);
      expect([harness.deadLetters.size, harness.table.checkpoint(stream).cursor]).toEqual([1, 'next']);
    },
  );
});

test.each(Object.keys(STEPS) as Tested[])(
  'a run over %s that loses its lease while it was frozen sends nothing more',
  async stream => {
    const harness = await prepared(stream);
    harness.journal.hook = async name => {
      // The dead letter is the first write. The lease is lost during it, as in a container that was frozen.
      if (name.split(' ')[1] === 'dead-letter') harness.lost.abort(new LeaseLostError('another run has taken it over'));
    };
    const sentBefore = harness.events.length;
    await expect(harness.runStream(stream)).rejects.toThrow(LeaseLostError);
    expect(harness.events.slice(sentBefore)).toEqual([]);
  },
);

describe('overlap', () => {
  test('the intent of a page does not name the ids of a page that is committed', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    const committed = harness.journal.after('assets checkpoint');
    let deliveries = 0;
    harness.journal.hook = async step => {
      if (step === 'assets look-up b') {
        await committed;
        await new Promise(setImmediate);
      }
      if (step === 'assets delivery' && ++deliveries === 2) throw new Error('killed');
    };
    await expect(harness.runStream('assets')).rejects.toThrow('killed');
    expect(harness.table.intents.get('assets')).toHaveLength(1);
  });

  test('pages are committed in order, one after the other', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')]]);
    await harness.runStream('assets');
    const commits = harness.journal.done.filter(step => /delivery|states|checkpoint/.test(step));
    const page = ['assets delivery', 'assets states', 'assets checkpoint'];
    expect(commits).toEqual([...page, ...page, ...page]);
  });

  test('while a page is delivered, the next is looked up and has its intent written, and the one after is fetched', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')], [asset('d')]]);
    let meanwhile: unknown;
    harness.journal.hook = async step => {
      if (step !== 'assets delivery' || meanwhile) return;
      await new Promise(setImmediate);
      meanwhile = { begun: [...harness.journal.begun], sent: harness.api.sent('/a') };
    };
    await harness.runStream('assets');
    expect(meanwhile).toEqual({
      begun: expect.arrayContaining(['assets look-up b']),
      sent: [undefined, 'c1', 'c2'],
    });
    expect(meanwhile).toEqual({ begun: expect.not.arrayContaining(['assets look-up c']), sent: expect.anything() });
  });

  test('an id of the page in progress is not looked up, because what was decided about it counts', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('a', { position: 'p2' })]]);
    harness.journal.hook = async step => {
      if (step === 'assets delivery') await new Promise(setImmediate);
    };
    expect(await harness.runStream('assets')).toMatchObject({ forwarded: 1, suppressed: 1 });
    expect(harness.journal.begun.filter(step => step.includes('look-up'))).toEqual(['assets look-up a']);
  });

  test.each([
    ['removed', tombstone('a', { version: 2 }), ['upsert a', 'upsert b', 'tombstone a']],
    ['delivered again', asset('a', { position: 'p2' }), ['upsert a', 'upsert b']],
    ['changed', asset('a', { version: 2 }), ['upsert a', 'upsert b', 'upsert a']],
  ])(
    'a row that the next page shows as %s is decided correctly while its first page is recorded',
    async (_what, next, sent) => {
      const harness = new Harness();
      harness.api.pages('/a', [[asset('a')], [asset('b'), next]]);
      const recorded = harness.journal.after('assets checkpoint');
      harness.journal.hook = step => (step === 'assets look-up b' ? recorded : undefined);
      await harness.runStream('assets');
      expect(harness.sent).toEqual(sent);
    },
  );

  test('a failure of a page leaves the page after it unsent', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    harness.journal.hook = async step => {
      if (step !== 'assets delivery') return;
      await new Promise(setImmediate);
      throw new DeliveryError('refused');
    };
    await expect(harness.runStream('assets')).rejects.toThrow(DeliveryError);
    expect([harness.lines, harness.table.checkpoint('assets').cursor]).toEqual([[], undefined]);
    harness.later();
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
  });

  test('an error of the next page lets the page before it be saved first', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]).on('/a', 'c2', new Error('cable cut'));
    await expect(harness.runStream('assets')).rejects.toThrow('cable cut');
    expect([harness.sent, harness.table.checkpoint('assets').cursor]).toEqual([['upsert a', 'upsert b'], 'c2']);
  });
});

describe('a cursor that is refused within the walk', () => {
  /** The page before it is being delivered when the API refuses the next cursor. */
  async function rewinding(): Promise<Harness> {
    const harness = new Harness();
    const [first, again] = [answer([asset('a')], 'c1'), answer([asset('a'), asset('b')], 'd1')];
    harness.api
      .on('/a', undefined, first, again)
      .on('/a', 'c1', new CursorRefusedError('/a'))
      .on('/a', 'd1', answer([], null));
    harness.journal.hook = async step => {
      if (step === 'assets delivery') await new Promise(setImmediate);
    };
    return harness;
  }

  test('a refused cursor waits for the commit of the page before, and then saves the rewind', async () => {
    const harness = await rewinding();
    await harness.runStream('assets');
    const writes = harness.journal.done.filter(step => /delivery|states|checkpoint/.test(step));
    expect(writes.slice(0, 4)).toEqual(['assets delivery', 'assets states', 'assets checkpoint', 'assets checkpoint']);
  });

  test('the rewind is saved before a row of the rewound walk is sent, so that everything is read again after a kill', async () => {
    const harness = await rewinding();
    let deliveries = 0;
    harness.journal.hook = async step => {
      if (step === 'assets delivery' && ++deliveries === 2) throw new DeliveryError('refused');
      await new Promise(setImmediate);
    };
    await expect(harness.runStream('assets')).rejects.toThrow(DeliveryError);
    expect(harness.table.checkpoint('assets')).toMatchObject({ cursor: undefined, previous: undefined });
  });
});

describe('the time budget', () => {
  test('when the time budget ends, the current page is saved, caughtUp is false, and the next run continues', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')], []]);
    const budget = [false, false, true];
    const result = await harness.runStream('assets', { outOfTime: () => budget.shift() ?? true });
    expect([result.pages, result.caughtUp, harness.sent]).toEqual([2, false, ['upsert a', 'upsert b']]);
    expect(harness.table.checkpoint('assets').cursor).toBe('c2');
    expect(await harness.later().runStream('assets')).toMatchObject({ caughtUp: true });
    expect([harness.api.sent('/a')[0], harness.sent]).toEqual(['c2', ['upsert c']]);
  });

  test('when the time budget ends while Firehose throttles, a run with a committed page has not failed', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    let deliveries = 0;
    harness.journal.hook = step => {
      if (step === 'assets delivery' && ++deliveries === 2) throw new OutOfTimeError('while Firehose throttled', 700);
    };
    const { results, failures } = await harness.run();
    expect(failures.has('assets')).toBe(false);
    expect(results.get('assets')).toMatchObject({ caughtUp: false, forwarded: 1, throttledMilliseconds: 700 });
    await harness.later().runStream('assets');
    expect(harness.sent).toEqual(['upsert b']);
  });

  test('when the time budget ends before any page was committed, the stream has stalled and fails', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    const stalled = new OutOfTimeError('while Firehose throttled');
    harness.journal.fail('assets delivery', stalled);
    expect((await harness.run()).failures.get('assets')).toBe(stalled);
    expect(harness.table.checkpoint('assets').cursor).toBeUndefined();
    await harness.later().runStream('assets');
    expect(harness.sent).toEqual(['upsert a']);
  });
});
