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

test('the template changes only on purpose', () => {
  expect(normalised()).toMatchSnapshot();
});
