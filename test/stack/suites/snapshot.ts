import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { synthesize } from '../synth.ts';

/** The template without what changes with every line of code: hashes of the bundle and of logical ids, texts for people. */
function normalised(): unknown {
  const text = JSON.stringify(synthesize({ dnsBlocksPath: '/v1/dns-blocks' }))
    .replace(/[0-9a-f]{64}/g, '<hash>')
    .replace(/(Connector\w+?)[0-9A-F]{8}\b/g, '$1');
  const template = JSON.parse(text, (key, value) =>
    key === 'AlarmDescription' || key === 'DashboardBody' || key === 'Metadata' ? undefined : value,
  );
  return { Resources: template.Resources, Outputs: template.Outputs };
}

const EVERYTHING = { depth: null, maxArrayLength: null, maxStringLength: null };

test('the template changes only on purpose', () => {
  // Parts that fit into a line are written in one, or the snapshot would be three times as long.
  const text = inspect(normalised(), { ...EVERYTHING, sorted: true, breakLength: 120, compact: 6 });
  expect(text).toMatchSnapshot();
});
