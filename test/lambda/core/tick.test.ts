import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, LeaseBusyError, LeaseLostError, StateError } from '../../../lambda/core/errors.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';
import { Stand } from './support/stand.ts';

function stocked(): Stand {
  const stand = new Stand();
  stand.api
    .pages('/a', [[asset('a')], []])
    .pages('/t', [[threat('t', 'a')], []])
    .pages('/d', [[dnsBlock('d')], []]);
  return stand;
}

const summary = (results: ReadonlyMap<string, { readonly forwarded: number; readonly caughtUp: boolean }>) =>
  [...results].map(([stream, { forwarded, caughtUp }]) => [stream, forwarded, caughtUp]);

describe('order: assets → withdrawals → threats, one after the other', () => {
  test('threats are not even read before the assets are drained and the withdrawals done', async () => {
    const stand = stocked();
    await stand.tick();
    stand
      .later()
      .api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], 'c2'))
      .on('/a', 'c2', answer([], null));
    const threatsReadAt = new Map<string, number>();
    stand.journal.hook = step => void threatsReadAt.set(step, stand.api.sent('/t').length);
    await stand.tick();
    expect(stand.sent.filter(each => !each.startsWith('dns'))).toEqual(['tombstone a', 'withdrawn t']);
    expect([threatsReadAt.get('assets checkpoint'), threatsReadAt.get('assets struck a')]).toEqual([0, 0]);
    expect(stand.api.sent('/t')).toEqual(['c1']);
  });

  test('the SIEM knows an asset before its threats', async () => {
    const stand = stocked();
    await stand.tick({ only: ['assets', 'threats'] });
    expect(stand.sent).toEqual(['upsert a', 'upsert t']);
  });

  test('DNS blocks run beside them: a held asset delivery does not hold them', async () => {
    const stand = stocked();
    const drained = stand.journal.after('dns-blocks checkpoint');
    stand.journal.hook = step => (step === 'assets delivery' ? drained : undefined);
    await stand.tick();
    expect(stand.sent).toEqual(['dns_block d', 'upsert a', 'upsert t']);
  });
});

describe('a failing stream does not stop the others', () => {
  test.each([
    ['assets', '/a', ['threats', 'dns-blocks']],
    ['threats', '/t', ['assets', 'dns-blocks']],
    ['dns-blocks', '/d', ['assets', 'threats']],
  ])('%s', async (stream, path, others) => {
    const stand = stocked();
    stand.api.on(path, undefined, new ApiRefusedError(path, 400, 'odd'));
    const { results, failures, interrupted } = await stand.tick();
    expect([[...failures.keys()], interrupted]).toEqual([[stream], true]);
    expect(summary(results).filter(([name]) => name !== stream)).toEqual(others.map(name => [name, 1, true]));
    expect(stand.releases).toEqual([false]);
  });

  test('withdrawals wait while the assets fail, since the end of their walk was not reached', async () => {
    const stand = stocked();
    await stand.tick();
    stand.later().api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], 'c2'));
    stand.api.on('/a', 'c2', new ApiRefusedError('/a', 400));
    await stand.tick();
    expect([stand.sent, stand.table.withdrawals('assets').length]).toEqual([['tombstone a'], 1]);
    stand.later().api.on('/a', 'c2', answer([], null));
    await stand.tick();
    expect(stand.sent).toEqual(['withdrawn t']);
  });
});

describe('the lease', () => {
  test('held by another run: nothing is done, and that is no error', async () => {
    const stand = stocked();
    stand.occupied = true;
    expect(await stand.tick()).toEqual({
      leaseHeld: true,
      results: new Map(),
      failures: new Map(),
      letters: [],
      interrupted: false,
    });
    expect([stand.api.requests, stand.journal.begun, stand.releases]).toEqual([[], [], []]);
  });

  test.each(['resync', 'replay'])('held by another run: a %s is refused, not forgotten', async command => {
    const stand = stocked();
    stand.occupied = true;
    await expect(stand.tick({ [command]: ['assets'] })).rejects.toThrow(LeaseBusyError);
  });

  test('lost: every stream stops, its failure is the loss, and nothing more is written', async () => {
    const stand = stocked();
    stand.journal.hook = step => {
      if (step === 'assets delivery') stand.lost.abort(new LeaseLostError('a later run took it'));
    };
    const { failures } = await stand.tick({ only: ['assets', 'threats'] });
    expect([...failures].map(([stream, error]) => [stream, error.name])).toEqual([
      ['assets', 'LeaseLostError'],
      ['threats', 'LeaseLostError'],
    ]);
    expect(stand.journal.done).not.toContain('assets states');
    expect(stand.releases).toEqual([false]);
  });

  test('lost between two pages: the page that is already fetched is not sent', async () => {
    const stand = new Stand();
    stand.api.pages('/d', [[dnsBlock('d1')], [dnsBlock('d2')], []]);
    const loses = () => {
      if (stand.sent.length > 0) stand.lost.abort(new LeaseLostError('it could not be renewed'));
      return false;
    };
    const { failures } = await stand.tick({ only: ['dns-blocks'], outOfTime: loses });
    expect([stand.sent, failures.get('dns-blocks')?.name]).toEqual([['dns_block d1'], 'LeaseLostError']);
  });

  test('the run before ended uncleanly: the fence is raised before anything is read or written', async () => {
    const stand = stocked();
    stand.unclean = true;
    await stand.tick();
    expect(stand.journal.begun[0]).toBe('fence 1');
    stand.later().unclean = false;
    await stand.tick();
    expect(stand.journal.begun.filter(step => step.startsWith('fence'))).toEqual([]);
  });

  test('given back cleanly after a whole run, also one that the time budget ended between pages', async () => {
    const stand = stocked();
    await stand.tick();
    stand.api.pages('/a', [[asset('b')], [asset('c')], []]);
    await stand.tick({ outOfTime: () => true });
    expect(stand.releases).toEqual([true, true]);
  });

  test('that cannot be given back fails every stream, so that the run is told as failed', async () => {
    const stand = stocked();
    stand.releaseFails = new LeaseLostError('another run has taken it over');
    const { failures, results } = await stand.tick();
    expect([...failures.keys()].sort()).toEqual([...results.keys()].sort());
    expect(new Set(failures.values())).toEqual(new Set([stand.releaseFails]));
  });

  test('given back in doubt when the state cannot be loaded', async () => {
    const stand = stocked();
    stand.journal.fail('fence 1', new StateError('be fenced'));
    stand.unclean = true;
    await expect(stand.tick()).rejects.toThrow(StateError);
    expect(stand.releases).toEqual([false]);
  });
});

describe('the time budget', () => {
  test('spent before the start: nothing is read, and every stream says that there is more', async () => {
    const stand = stocked();
    const { results, failures } = await stand.tick({ outOfTime: () => true });
    expect(summary(results)).toEqual([
      ['assets', 0, false],
      ['threats', 0, false],
      ['dns-blocks', 0, false],
    ]);
    expect([failures.size, stand.api.requests]).toEqual([0, []]);
  });

  test('spent amid the assets: threats wait for the next run, which goes on', async () => {
    const stand = stocked();
    const { results } = await stand.tick({ only: ['assets', 'threats'], outOfTime: () => stand.lines.length > 0 });
    expect(results.get('threats')).toMatchObject({ pages: 0, caughtUp: false });
    await stand.tick();
    expect(stand.sent.toSorted()).toEqual(['dns_block d', 'upsert a', 'upsert t']);
  });
});

describe('over runs', () => {
  test('a quiet tick asks once a stream, sends nothing and writes nothing', async () => {
    const stand = stocked();
    await stand.tick();
    await stand.later().tick();
    expect(stand.api.requests.map(({ path, cursor }) => [path, cursor]).toSorted()).toEqual([
      ['/a', 'c1'],
      ['/d', 'c1'],
      ['/t', 'c1'],
    ]);
    expect([stand.lines, stand.journal.begun]).toEqual([[], []]);
  });

  test('no sequence is used twice, and every later run uses greater ones', async () => {
    const stand = stocked();
    await stand.tick();
    stand.api.on('/a', 'c1', answer([asset('b'), asset('c')], 'c2')).on('/a', 'c2', answer([], null));
    stand.api.on('/d', 'c1', answer([dnsBlock('e')], null));
    await stand.tick();
    const [first, second] = [stand.events.slice(0, 3), stand.events.slice(3)].map(each =>
      each.map(({ sequence }) => sequence).toSorted(),
    );
    expect(new Set([...first!, ...second!]).size).toBe(6);
    expect(first!.at(-1)! < second![0]!).toBe(true);
  });
});
