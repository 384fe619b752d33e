import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type ConnectorLine, outcomeOfConnectors, runFourAtATime } from '../../../bin/ctl/commands/status/status.ts';

test('many connectors are read four at a time and keep their order', async () => {
  let running = 0;
  let most = 0;
  const names = Array.from({ length: 50 }, (_, at) => `tenant-${at}`);
  const read = await runFourAtATime(names, async name => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    return name;
  });
  expect(read).toEqual(names);
  expect({ most, running }).toEqual({ most: 4, running: 0 });
});

const line = (connector: string, kind: ConnectorLine['kind'], isCritical = false): ConnectorLine => {
  return { connector, kind, isCritical, text: kind, json: { kind } };
};

test('status --all lists the worst connector first and exits with its status', () => {
  const lines = [
    line('healthy', 'healthy'),
    line('paused', 'paused'),
    line('b', 'unhealthy'),
    line('a', 'unhealthy'),
    line('critical', 'unhealthy', true),
    line('gone', 'not readable'),
  ];
  const { text, json, status } = outcomeOfConnectors(lines);
  const order = ['gone', 'critical', 'a', 'b', 'paused', 'healthy'];
  expect(json).toMatchObject({ connectors: order.map(connector => ({ connector })) });
  expect(String(text)).toContain('gone      not readable\ncritical  unhealthy\n');
  expect(String(text)).toMatch(/\n\n1 not readable, 3 unhealthy, 1 paused, 1 healthy$/);
  expect(status).toBe(3);
  expect(outcomeOfConnectors(lines.slice(0, 2)).status).toBe(0);
});
