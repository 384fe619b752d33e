import { isBuiltin } from 'node:module';
import { expect, test } from '@jest/globals';
import { STREAMS } from '../../lambda/streams.ts';
import { parseEmf } from '../../local/alarms/emf.ts';
import { parseEvent } from '../../local/aws/delivered.ts';
import { bundle } from '../support/function/bundle.ts';
import { connector } from '../support/function/connector.ts';
import { emfViolations } from '../support/function/emf-violations.ts';
import { schemaViolations } from '../support/function/event-schema.ts';
import { functionProcess } from '../support/function/function-process.ts';

test('the bundle reads every stream in a bare Node process that has only its environment', async () => {
  await using each = await connector();
  await using built = await bundle();
  each.simulator.populate({ assets: 60, threats: 40, dnsBlocks: 30 });
  each.simulator.put('assets', { id: 'large', text: 'x'.repeat(1_100_000) });
  const run = await functionProcess(built.module, each.environment, [{}, {}, { replay: ['dns-blocks'] }]);
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  expect(run.outcomes).toMatchObject([
    { more: false, streams: { assets: { rows: 61, caughtUp: true }, threats: { forwarded: 40 } } },
    { more: false, streams: { assets: { forwarded: 0 }, threats: { forwarded: 0 }, 'dns-blocks': { forwarded: 0 } } },
    { more: false, streams: { assets: { forwarded: 0 }, 'dns-blocks': { forwarded: 30 } } },
  ]);
  const lines = await each.lines();
  expect(schemaViolations(lines)).toEqual([]);
  const ids = new Set(lines.map(line => parseEvent(line).id));
  expect([...each.simulator.truth().threats.keys()].filter(id => !ids.has(id))).toEqual([]);
  const names = STREAMS.map(stream => stream.name);
  const blobs = parseEmf(run.stdout);
  expect(blobs).toHaveLength(3 * (names.length + 1));
  for (const from of [0, names.length + 1])
    expect(emfViolations(blobs.slice(from, from + names.length + 1), 'acme', names)).toEqual([]);
  expect(blobs[2 * names.length + 1]?.values).toEqual({ StreamsFailed: 0, StreamsBehind: 0 });
});

test('the bundle is one small file that imports only modules of Node', async () => {
  await using built = await bundle();
  expect(built.imports.filter(name => !isBuiltin(name))).toEqual([]);
  // Two thirds are the SDK's clients, S3's the largest. The bound catches a client or a library
  // that comes along by mistake.
  expect(built.bytes).toBeLessThan(750_000);
});
