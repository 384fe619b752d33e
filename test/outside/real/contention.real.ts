import { expect, test } from '@jest/globals';
import type { FunctionRun } from '../../support/function/function-process.ts';
import { ports } from './support/ports.ts';

test.each([2, 4])(
  '%i processes at one moment: one drains, the others find the lease held and do nothing',
  async count => {
    await using each = await ports();
    each.simulator.populate({ assets: 60, threats: 40, dnsBlocks: 30 });
    // The winner gets no row before the others have ended.
    const ended: Promise<FunctionRun>[] = [];
    const others = Promise.withResolvers<void>();
    each.api.tamper(({ method, target, headers, body }) => async response => {
      await others.promise;
      const header = (name: string) => [headers[name]].flat().join(', ') || undefined;
      const { answer } = await each.simulator.serve({ method, target, header, body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    let left = count;
    for (let index = 0; index < count; index++) {
      const run = each.run();
      ended.push(run);
      void run.finally(() => {
        left -= 1;
        if (left <= 1) others.resolve();
      });
    }
    const outcomes = (await Promise.all(ended)).flatMap(run => run.outcomes);
    const held = outcomes.filter(outcome => 'leaseHeld' in outcome);
    expect(held).toEqual(Array(count - 1).fill({ streams: {}, more: false, leaseHeld: true }));
    expect(outcomes.filter(outcome => !('leaseHeld' in outcome))).toMatchObject([
      {
        more: false,
        streams: {
          assets: { forwarded: each.liveAssets() },
          threats: { forwarded: 40 },
          'dns-blocks': { forwarded: 30 },
        },
      },
    ]);
    expect(await each.result()).toMatchObject({ breaches: [], repeats: 0 });
  },
);
