import { expect, test } from '@jest/globals';
import { pacedTime } from '../../../local/demo/paced-time.ts';
import { RunningStack } from '../../../local/demo/running-stack.ts';
import { templateWith } from '../../stack/shared-template.ts';

const OPTIONS = { dnsBlocksPath: '/v1/dns-blocks', dashboard: true, alarmEmail: 'on-call@acme.example' };

test('the table stays open until the minute in progress has ended, also when the stack is disposed meanwhile', async () => {
  const stack = { connector: 'acme', stackName: 'SecurityDataConnector-acme', template: await templateWith(OPTIONS) };
  const ended = Promise.withResolvers<void>();
  const read: string[] = [];
  const running = await RunningStack.start({
    stack,
    time: pacedTime({ start: 0, minuteTakes: 50 }),
    rows: { assets: 2, threats: 2, dnsBlocks: 2 },
    mostRows: { assets: 2, threats: 2, 'dns-blocks': 2 },
    changes: 0,
    seed: 1,
    async onMinute(each) {
      ended.resolve();
      for (let looks = 0; looks < 5; looks++) {
        read.push(await each.savedState().then(({ streams }) => `${streams.size} streams`, String));
      }
    },
  });
  running.run();
  await ended.promise;
  await running[Symbol.asyncDispose]();
  expect(read).toEqual(Array(5).fill('3 streams'));
});
