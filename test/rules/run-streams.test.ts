import { describe, expect, test } from '@jest/globals';
import { createAssignment } from '../../lambda/compose.ts';
import {
  ApiRefusedError,
  ApiUnavailableError,
  LeaseBusyError,
  LeaseLostError,
  OutdatedWithdrawalsError,
  StateError,
  StateVersionError,
} from '../../lambda/core/errors.ts';
import { OPTION_DEFAULTS } from '../../lambda/options.ts';
import type { Settings } from '../../lambda/settings.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { Harness, type RunChange } from '../support/core/harness.ts';
import { asset, dnsBlock, threat, tombstone } from '../support/core/rows.ts';

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

describe('the order of the streams: assets, then withdrawals, then threats', () => {
  test('threats are read only after the assets are read to the end and all withdrawals are sent', async () => {
    const harness = stocked();
    await harness.run();
    harness.later().api.next('/a', 'c1', [tombstone('a', { version: 2 })]);
    const threatsReadAt = new Map<string, number>();
    harness.journal.hook = step => void threatsReadAt.set(step, harness.api.sent('/t').length);
    await harness.run();
    expect(harness.sent.filter(each => !each.startsWith('dns'))).toEqual(['tombstone a', 'withdrawn t']);
    expect(threatsReadAt.get('assets checkpoint')).toBe(0);
    expect(threatsReadAt.get('assets removals deleted a')).toBe(0);
    expect(harness.api.sent('/t')).toEqual(['c1']);
  });

  test('DNS blocks are read in parallel with the assets, so a slow asset delivery does not delay them', async () => {
    const harness = stocked();
    const blocksSaved = harness.journal.after('dns-blocks checkpoint');
    harness.journal.hook = step => (step === 'assets delivery' ? blocksSaved : undefined);
    await harness.run();
    expect(harness.sent).toEqual(['dns_block d', 'upsert a', 'upsert t']);
  });
});

describe('a failing stream does not stop the others', () => {
  test.each([
    ['assets', '/a', ['threats', 'dns-blocks']],
    ['threats', '/t', ['assets', 'dns-blocks']],
    ['dns-blocks', '/d', ['assets', 'threats']],
  ])('a failure of %s does not stop the other streams', async (stream, path, others) => {
    const harness = stocked();
    harness.api.on(path, undefined, new ApiRefusedError(path, 400, 'odd'));
    const { results, failures, interrupted } = await harness.run();
    expect([...failures.keys()]).toEqual([stream]);
    expect(interrupted).toBe(true);
    expect(summary(results).filter(([name]) => name !== stream)).toEqual(others.map(name => [name, 1, true]));
    expect(harness.releases).toEqual([{ clean: false, unclear: false }]);
  });

  test('a failed stream is logged as an error at once, while other streams are still running', async () => {
    const harness = stocked();
    harness.api.on('/d', undefined, new ApiRefusedError('/d', 400, 'odd'));
    let loggedBefore: readonly string[] = [];
    harness.journal.hook = async step => {
      if (step !== 'threats delivery') return;
      await new Promise(setImmediate);
      loggedBefore = [...harness.errors];
    };
    await harness.run();
    expect(loggedBefore).toEqual(['dns-blocks ApiRefusedError']);
    expect(harness.errors).toEqual(['dns-blocks ApiRefusedError']);
  });
});

describe('the lease', () => {
  test('a run that finds the lease held by another run does nothing and succeeds', async () => {
    const harness = stocked();
    harness.occupied = true;
    expect(await harness.run()).toEqual({
      leaseHeld: true,
      results: new Map(),
      failures: new Map(),
      interrupted: false,
    });
    expect(harness.api.requests).toEqual([]);
    expect(harness.journal.begun).toEqual([]);
    expect(harness.releases).toEqual([]);
  });

  test.each<[string, RunChange]>([
    ['resync', { resync: ['assets'] }],
    ['replay', { replay: ['assets'] }],
    ['confirmation of withdrawals', { confirmWithdrawals: 'd' }],
    ['confirmation of the organization', { confirmOrganization: 'd' }],
  ])('a %s is refused instead of dropped while another run holds the lease', async (_command, change) => {
    const harness = stocked();
    harness.occupied = true;
    await expect(harness.run(change)).rejects.toThrow(LeaseBusyError);
  });

  test('a lost lease makes every stream fail, and nothing more is written', async () => {
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
    expect(harness.releases).toEqual([{ clean: false, unclear: false }]);
  });

  test('the fence is raised before anything is read or written when the previous run ended dirty', async () => {
    const harness = stocked();
    harness.dirty = true;
    await harness.run();
    expect(harness.journal.begun[0]).toBe('fence 1');
    harness.later().dirty = false;
    await harness.run();
    expect(harness.journal.begun.filter(step => step.startsWith('fence'))).toEqual([]);
  });

  test('the lease is released clean after a run, even if the time budget ended the run between pages', async () => {
    const harness = stocked();
    await harness.run();
    harness.api.pages('/a', [[asset('b')], [asset('c')], []]);
    await harness.run({ outOfTime: () => true });
    const clean = { clean: true, unclear: false };
    expect(harness.releases).toEqual([clean, clean]);
  });

  test('a lease that cannot be released makes every stream fail, so that the failure is reported', async () => {
    const harness = stocked();
    harness.releaseFails = new LeaseLostError('another run has taken it over');
    const { failures, results } = await harness.run();
    expect([...failures.keys()].sort()).toEqual([...results.keys()].sort());
    expect(new Set(failures.values())).toEqual(new Set([harness.releaseFails]));
  });

  test('the lease is released dirty when the state cannot be loaded', async () => {
    const harness = stocked();
    harness.journal.fail('fence 1', new StateError('be fenced'));
    harness.dirty = true;
    await expect(harness.run()).rejects.toThrow(StateError);
    expect(harness.releases).toEqual([{ clean: false, unclear: false }]);
  });
});

describe('logs', () => {
  test('logs that cannot be deleted do not fail a run, and the next run deletes them', async () => {
    const harness = stocked();
    harness.journal.fail('logs deleted 1');
    const { failures } = await harness.run();
    expect(failures.size).toBe(0);
    expect(harness.releases).toEqual([{ clean: false, unclear: false }]);
    expect(new Set(harness.warnings)).toEqual(new Set([expect.stringContaining('were not deleted')]));
    Object.assign(harness.later(), { dirty: true });
    await harness.run();
    expect(harness.table.logs.size).toBe(0);
    expect(harness.sent).toEqual([]);
  });

  test('a run deletes ten logs at a time, so that their rows do not stay in the bucket', async () => {
    const harness = new Harness();
    const streamRun = harness.streamRun('assets');
    for (let batch = 1; batch <= 12; batch++) {
      streamRun.logs.opened(await streamRun.run.logs.put('assets', String(batch), Buffer.of(), async () => undefined));
      // A log names those that a later run must delete after a kill.
      if (batch === 12) expect(streamRun.logs.earlier).toEqual(['log/assets/11']);
      await streamRun.logs.saved();
    }
    expect(harness.journal.done.filter(step => step.startsWith('logs'))).toEqual(['logs deleted 10']);
    expect(await streamRun.logs.delete()).toBe(true);
    expect(harness.table.logs.size).toBe(0);
  });

  test('a missing log fails only its own stream, until everything is sent again', async () => {
    const harness = stocked();
    harness.journal.fail('assets delivery');
    await harness.run();
    harness.table.logs.clear();
    const { failures } = await Object.assign(harness.later(), { dirty: true }).run();
    expect([...failures].map(([stream, { name }]) => [stream, name])).toEqual([['assets', 'LogMissingError']]);
    expect(harness.sent.filter(each => each.endsWith(' a'))).toEqual([]);
    expect(failures.get('assets')!.message).toContain('connectorctl resync assets --send-all');

    expect((await harness.later().run({ resync: ['assets'] })).failures.size).toBe(1);
    expect((await harness.later().run({ replay: ['assets'] })).failures.size).toBe(0);
    expect(harness.sent).toEqual(['upsert a']);
    expect((await harness.later().run()).failures.size).toBe(0);
  });
});

describe('unclear answers to writes', () => {
  /** The answer to a write of the assets' batch is unclear. */
  function unclear(unclearRuns: number): Harness {
    const harness = Object.assign(stocked(), { unclearRuns });
    harness.journal.hook = step => {
      if (step === 'assets states') harness.unclearWrites = 1;
    };
    return harness;
  }

  test('an unclear answer ends the run of a stream after its batch and keeps the lease occupied', async () => {
    const harness = unclear(0);
    const { results, failures } = await harness.run({ only: ['assets', 'threats'] });
    expect([...results.values()].map(({ caughtUp, unclearWrites }) => [caughtUp, unclearWrites])).toEqual([
      [false, 1],
      [false, 1],
    ]);
    expect(harness.sent).toEqual(['upsert a']);
    expect(failures.size).toBe(0);
    expect(harness.table.checkpoint('assets').committed).not.toBe('');
    expect(harness.api.sent('/t')).toEqual([]);
    expect(harness.releases).toEqual([{ clean: true, unclear: true }]);
  });

  test('a run with unclear answers fails if the two runs before it had unclear answers too', async () => {
    for (const [before, names] of [
      [1, []],
      [2, ['UnclearWritesError']],
    ] as const) {
      const { failures } = await unclear(before).run({ only: ['assets'] });
      expect([...failures.values()].map(({ name }) => name)).toEqual(names);
    }
  });

  test('the lease stays occupied after an unclear answer to a write before the first read', async () => {
    const harness = unclear(0);
    harness.table.organization = undefined;
    harness.journal.hook = step => {
      if (step !== 'fence 1') return;
      harness.unclearWrites = 1;
      throw new StateError('be fenced');
    };
    harness.dirty = true;
    await expect(harness.run()).rejects.toThrow(StateError);
    expect(harness.releases).toEqual([{ clean: false, unclear: true }]);
  });
});

test('a confirmation of withdrawals other than the waiting withdrawals is refused before anything is read', async () => {
  const harness = stocked();
  await expect(harness.run({ confirmWithdrawals: 'f'.repeat(32) })).rejects.toThrow(OutdatedWithdrawalsError);
  expect(harness.api.requests).toEqual([]);
  expect(harness.lines).toEqual([]);
});

test('a checkpoint of another format version fails its stream before anything is read, even at a resync', async () => {
  const harness = stocked();
  harness.table.unreadable.set('assets', new StateVersionError('connector', '3', '2'));
  for (const resync of [[], ['assets']] as const)
    await expect(harness.runStream('assets', { resync })).rejects.toThrow(StateVersionError);
  expect(harness.api.requests).toEqual([]);
  expect(harness.journal.begun).toEqual([]);
});

describe('the time budget', () => {
  test('a run whose time budget is already spent reads nothing and reports every stream as not caught up', async () => {
    const harness = stocked();
    const { results, failures } = await harness.run({ outOfTime: () => true });
    expect(summary(results)).toEqual([
      ['assets', 0, false],
      ['threats', 0, false],
      ['dns-blocks', 0, false],
    ]);
    expect(failures.size).toBe(0);
    expect(harness.api.requests).toEqual([]);
  });

  test('a run whose time budget ends before it has a token fails every stream, because nothing was read', async () => {
    const harness = stocked();
    const error = new ApiUnavailableError('The token endpoint', 'it did not answer in time');
    Object.defineProperty(harness, 'organization', { get: () => Promise.reject(error) });
    const { failures } = await harness.run({ outOfTime: () => true });
    expect(failures).toEqual(new Map(['assets', 'threats', 'dns-blocks'].map(stream => [stream, error])));
  });
});

describe('the settings of a run', () => {
  const assigned = (change: object = {}) => createAssignment({ ...OPTION_DEFAULTS, ...change } as Settings);

  test('the settings determine the limit, the member that names the asset, and the member names of a page', () => {
    const given = { pageLimit: 7, threatAssetField: 'host', rowsMember: 'data', paginationMember: 'meta' };
    const configuredNames = { rows: 'data', pagination: 'meta' };
    expect(assigned(given)).toMatchObject({ pageLimit: 7, parentMember: 'host', configuredNames });
  });

  test('the DNS block stream is read only when its path is configured', () => {
    const names = ({ streams }: ReturnType<typeof assigned>) => streams.map(({ name, path }) => `${name} ${path}`);
    const others = STREAMS.filter(stream => 'path' in stream).map(({ name, path }) => `${name} ${path}`);
    expect(names(assigned())).toEqual(others);
    expect(names(assigned({ dnsBlocksPath: '/v1/dns' }))).toEqual(
      expect.arrayContaining([...others, 'dns-blocks /v1/dns']),
    );
  });
});
