import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Entry, StreamLog } from '../../local/api-simulator/stream-log.ts';

interface Item extends Entry {
  readonly name: number;
}

test('reading from any place gives the same entries as a plain list, after any appends and withdrawals', () => {
  const steps = fc.array(fc.oneof(fc.constant('append' as const), fc.nat(300)), { maxLength: 300 });
  fc.assert(
    fc.property(steps, fc.nat(300), (actions, from) => {
      const log = new StreamLog<Item>();
      const plain: Item[] = [];
      const all: Item[] = [];
      for (const action of actions) {
        if (action === 'append') {
          const item = { seq: 0, name: all.length };
          log.append(item);
          plain.push(item);
          all.push(item);
        } else if (all[action]) {
          log.withdraw(all[action]);
          if (plain.includes(all[action])) plain.splice(plain.indexOf(all[action]), 1);
        }
      }
      expect([...log.after(from)]).toEqual(plain.filter(item => item.seq > from));
    }),
  );
});

test('places stay valid after withdrawn entries are dropped', () => {
  const log = new StreamLog<Item>();
  const items = Array.from({ length: 20_000 }, (_, name) => ({ seq: 0, name }));
  for (const item of items) log.append(item);
  for (const item of items) if (item.name % 10 > 0) log.withdraw(item);
  expect(log.places).toBeLessThan(10_000);
  expect([...log.after(15_000)].map(item => item.name)).toEqual(
    Array.from({ length: 500 }, (_, index) => 15_000 + index * 10),
  );
  log.withdraw(items[15_010]!);
  log.append({ seq: 0, name: -1 });
  expect([...log.after(19_981)].map(item => item.name)).toEqual([19_990, -1]);
  expect(log.after(15_000).next().value!.name).toBe(15_000);
});

test('withdrawing an entry twice, or one that is not in the log, has no effect', () => {
  const log = new StreamLog<Item>();
  const item = { seq: 0, name: 1 };
  log.append(item);
  log.withdraw({ seq: 0, name: 2 });
  log.withdraw({ seq: 1, name: 3 });
  expect([...log.after(0)]).toEqual([item]);
  log.withdraw(item);
  log.withdraw(item);
  expect([...log.after(0)]).toEqual([]);
});
