import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, LeaseBusyError, LeaseLostError, StateError } from '../../../lambda/core/errors.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

function stocked(): Harness {
  const harness = new Harness();
  harness.api
    .pages('/a', [[asset('a')], []])
    .pages('/t', [[threat('t', 'a')], []])
    .pages('/d', [[dnsBlock('d')], []]);
  return harness;
}

const summary = (results: ReadonlyMap<string, { readonly forwarded: number; readonly caughtUp: boolean }>) =>
  [...results].map(([stream, { forwarded, caughtUp }]) => [stream, forwarded, caughtUp]);

describe('order: assets → withdrawals → threats, one after the other', () => {
  test('threats are not even read before the assets are drained and the withdrawals done', async () => {
    const harness = stocked();
    await harness.run();
    harness
      .later()
      .api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], 'c2'))
      .on('/a', 'c2', answer([], null));
    const threatsReadAt = new Map<string, number>();
    harness.journal.hook = step => void threatsReadAt.set(step, harness.api.sent('/t').length);
    await harness.run();
    expect(harness.sent.filter(each => !each.startsWith('dns'))).toEqual(['tombstone a', 'withdrawn t']);
    expect([threatsReadAt.get('assets checkpoint'), threatsReadAt.get('assets struck a')]).toEqual([0, 0]);
    expect(harness.api.sent('/t')).toEqual(['c1']);
  });

  test('the SIEM knows an asset before its threats', async () => {
    const harness = stocked();
    await harness.run({ only: ['assets', 'threats'] });
    expect(harness.sent).toEqual(['upsert a', 'upsert t']);
  });

  test('DNS blocks run beside them: a held asset delivery does not hold them', async () => {
    const harness = stocked();
    const drained = harness.journal.after('dns-blocks checkpoint');
    harness.journal.hook = step => (step === 'assets delivery' ? drained : undefined);
    await harness.run();
    expect(harness.sent).toEqual(['dns_block d', 'upsert a', 'upsert t']);
  });
});

describe('a failing stream does not stop the others', () => {
  test.each([
    ['assets', '/a', ['threats', 'dns-blocks']],
    ['threats', '/t', ['assets', 'dns-blocks']],
    ['dns-blocks', '/d', ['assets', 'threats']],
  ])('%s', async (stream, path, others) => {
    const harness = stocked();
    harness.api.on(path, undefined, new ApiRefusedError(path, 400, 'odd'));
    const { results, failures, interrupted } = await harness.run();
    expect([[...failures.keys()], interrupted]).toEqual([[stream], true]);
    expect(summary(results).filter(([name]) => name !== stream)).toEqual(others.map(name => [name, 1, true]));
    expect(harness.releases).toEqual([false]);
  });

  test('withdrawals wait while the assets fail, since the end of their walk was not reached', async () => {
    const harness = stocked();
    await harness.run();
    harness.later().api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], 'c2'));
    harness.api.on('/a', 'c2', new ApiRefusedError('/a', 400));
    await harness.run();
    expect([harness.sent, harness.table.removals('assets').length]).toEqual([['tombstone a'], 1]);
    harness.later().api.on('/a', 'c2', answer([], null));
    await harness.run();
    expect(harness.sent).toEqual(['withdrawn t']);
  });
});

describe('the lease', () => {
  test('held by another run: nothing is done, and that is no error', async () => {
    const harness = stocked();
    harness.occupied = true;
    expect(await harness.run()).toEqual({
      leaseHeld: true,
      results: new Map(),
      failures: new Map(),
      letters: [],
      interrupted: false,
    });
    expect([harness.api.requests, harness.journal.begun, harness.releases]).toEqual([[], [], []]);
  });

  test.each(['resync', 'replay'])('held by another run: a %s is refused, not forgotten', async command => {
    const harness = stocked();
    harness.occupied = true;
    await expect(harness.run({ [command]: ['assets'] })).rejects.toThrow(LeaseBusyError);
  });

  test('lost: every stream stops, its failure is the loss, and nothing more is written', async () => {
    const harness = stocked();
    harness.journal.hook = step => {
      if (step === 'assets delivery') harness.lost.abort(new LeaseLostError('a later run took it'));
    };
    const { failures } = await harness.run({ only: ['assets', 'threats'] });
    expect([...failures].map(([stream, error]) => [stream, error.name])).toEqual([
      ['assets', 'LeaseLostError'],
      ['threats', 'LeaseLostError'],
    ]);
    expect(harness.journal.done).not.toContain('assets states');
    expect(harness.releases).toEqual([false]);
  });

  test('lost between two pages: the page that is already fetched is not sent', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('d1')], [dnsBlock('d2')], []]);
    const loses = () => {
      if (harness.sent.length > 0) harness.lost.abort(new LeaseLostError('it could not be renewed'));
      return false;
    };
    const { failures } = await harness.run({ only: ['dns-blocks'], outOfTime: loses });
    expect([harness.sent, failures.get('dns-blocks')?.name]).toEqual([['dns_block d1'], 'LeaseLostError']);
  });

  test('the run before ended uncleanly: the fence is raised before anything is read or written', async () => {
    const harness = stocked();
    harness.dirty = true;
    await harness.run();
    expect(harness.journal.begun[0]).toBe('fence 1');
    harness.later().dirty = false;
    await harness.run();
    expect(harness.journal.begun.filter(step => step.startsWith('fence'))).toEqual([]);
  });

  test('given back cleanly after a whole run, also one that the time budget ended between pages', async () => {
    const harness = stocked();
    await harness.run();
    harness.api.pages('/a', [[asset('b')], [asset('c')], []]);
    await harness.run({ outOfTime: () => true });
    expect(harness.releases).toEqual([true, true]);
  });

  test('that cannot be given back fails every stream, so that the run is told as failed', async () => {
    const harness = stocked();
    harness.releaseFails = new LeaseLostError('another run has taken it over');
    const { failures, results } = await harness.run();
    expect([...failures.keys()].sort()).toEqual([...results.keys()].sort());
    expect(new Set(failures.values())).toEqual(new Set([harness.releaseFails]));
  });

  test('given back in doubt when the state cannot be loaded', async () => {
    const harness = stocked();
    harness.journal.fail('fence 1', new StateError('be fenced'));
    harness.dirty = true;
    await expect(harness.run()).rejects.toThrow(StateError);
    expect(harness.releases).toEqual([false]);
  });
});

describe('the time budget', () => {
  test('spent before the start: nothing is read, and every stream says that there is more', async () => {
    const harness = stocked();
    const { results, failures } = await harness.run({ outOfTime: () => true });
    expect(summary(results)).toEqual([
      ['assets', 0, false],
      ['threats', 0, false],
      ['dns-blocks', 0, false],
    ]);
    expect([failures.size, harness.api.requests]).toEqual([0, []]);
  });

  test('spent amid the assets: threats wait for the next run, which goes on', async () => {
    const harness = stocked();
    const { results } = await harness.run({ only: ['assets', 'threats'], outOfTime: () => harness.lines.length > 0 });
    expect(results.get('threats')).toMatchObject({ pages: 0, caughtUp: false });
    await harness.run();
    expect(harness.sent.toSorted()).toEqual(['dns_block d', 'upsert a', 'upsert t']);
  });
});

describe('over runs', () => {
  test('a quiet tick asks once a stream, sends nothing and writes nothing', async () => {
    const harness = stocked();
    await harness.run();
    await harness.later().run();
    expect(harness.api.requests.map(({ path, cursor }) => [path, cursor]).toSorted()).toEqual([
      ['/a', 'c1'],
      ['/d', 'c1'],
      ['/t', 'c1'],
    ]);
    expect([harness.lines, harness.journal.begun]).toEqual([[], []]);
  });

  test('no sequence is used twice, and every later run uses greater ones', async () => {
    const harness = stocked();
    await harness.run();
    harness.api.on('/a', 'c1', answer([asset('b'), asset('c')], 'c2')).on('/a', 'c2', answer([], null));
    harness.api.on('/d', 'c1', answer([dnsBlock('e')], null));
    await harness.run();
    const [first, second] = [harness.events.slice(0, 3), harness.events.slice(3)].map(each =>
      each.map(({ sequence }) => sequence).toSorted(),
    );
    expect(new Set([...first!, ...second!]).size).toBe(6);
    expect(first!.at(-1)! < second![0]!).toBe(true);
  });
});
