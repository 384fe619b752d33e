/** What `preview` says of a change, and what the change then does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { templateOf } from '../../../bin/ctl/commands/preview.ts';
import { type Deployment, deployment } from '../support/deployment.ts';

describe('preview', () => {
  let each: Deployment;
  let folder: string;

  /** A template whose function has these variables. */
  function template(variables: Readonly<Record<string, unknown>>, name = 'Acme.template.json'): string {
    const file = path.join(folder, name);
    const connector = { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables: variables } } };
    const other = { Type: 'AWS::Lambda::Function', Properties: {} };
    writeFileSync(file, JSON.stringify({ Resources: { other, connector, table: { Type: 'AWS::DynamoDB::Table' } } }));
    return file;
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'preview-'));
    each = await deployment();
    const { platform } = each.connector;
    for (let index = 0; index < 12; index++) {
      platform.put('assets', { id: `asset-${index}`, score: index, contact: 'a@acme.example' });
      platform.put('threats', { id: `t-${index}`, asset_id: `asset-${index}`, severity: index < 9 ? 'low' : 'high' });
      platform.put('dns-blocks', { id: `d-${index}`, action: index < 2 ? 'log' : 'block' });
    }
    platform.remove('assets', 'asset-11');
    await each.run();
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await each[Symbol.asyncDispose]();
  });

  const sent = { CONNECTOR_NAME: 'acme', DNS_BLOCKS_PATH: '/v1/dns-blocks' };

  test.each([
    ['a filter', { FILTERS: '{"threats":"severity != \'low\'","dnsBlocks":"action != \'log\'"}' }, [0, 0, 9, 0]],
    [
      'a filter that changes again',
      { FILTERS: '{"threats":"severity == \'low\'","assets":"score > `5`"}' },
      [6, 0, 2, 9],
    ],
    ['no filter, and a member left out', { OMIT: '{"assets":["contact"]}' }, [0, 11, 0, 2]],
  ])(
    'says of %s what the deployment then does',
    async (_, variables, [assetsGone, assetsSent, threatsGone, threatsSent]) => {
      const file = template({ ...sent, ...variables });
      each.connector.forget();
      const { status, document } = await each.json(['preview', '--template', file]);
      expect(new Set(each.connector.calls.map(call => call.action))).not.toContain('BatchWriteItem');
      const { streams } = document;
      expect([status, streams.assets, streams.threats]).toEqual([
        0,
        expect.objectContaining({ withdrawn: assetsGone, sent: assetsSent }),
        expect.objectContaining({ withdrawn: threatsGone, sent: threatsSent }),
      ]);
      each.connector.deploy({ FILTERS: '', OMIT: '', ...variables });
      const run = await each.connector.run();
      expect(run.streams).toMatchObject({
        assets: { withdrawn: streams.assets.withdrawn, forwarded: streams.assets.sent },
        threats: { withdrawn: streams.threats.withdrawn, forwarded: streams.threats.sent },
      });
    },
  );

  test('says in words which options change, and how many rows', async () => {
    const file = template({ ...sent, FILTERS: '{"dnsBlocks":"action != \'log\'"}', DNS_BLOCKS_SINCE: '2020-01-01' });
    const { stdout } = await each.ctl(['preview', '--template', file]);
    expect(stdout).toContain(`${file} changes filters, dnsBlocksSince. The first run after the deployment:`);
    expect(stdout).toContain(
      '  0 of 11 threats would be withdrawn, 0 would be sent. 0 of 11 threats at the API are excluded.',
    );
    expect(stdout).toContain(
      '  2 of 12 DNS blocks at the API are excluded. None is withdrawn: the change applies to those',
    );
  });

  test.each([
    [
      'a template of another connector',
      { ...sent, CONNECTOR_NAME: 'other' },
      /has no template with the connector acme/,
    ],
    ['an invalid filter', { ...sent, FILTERS: '{"threats":"a =="}' }, /FILTERS\.threats is no expression/],
    [
      'a path that is known at deployment only',
      { ...sent, DNS_BLOCKS_PATH: { Ref: 'Path' } },
      /dnsBlocksPath is known only/,
    ],
  ])('refuses %s', async (_, variables, message) => {
    const { status, stderr } = await each.ctl(['preview', '--template', template(variables)]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('finds the template in the folder to which it is synthesized, if only one has the connector', () => {
    expect(() => templateOf(undefined, 'acme', path.join(folder, 'none'))).toThrow(/There is no folder .*cdk synth/);
    const file = template(sent);
    template({ ...sent, CONNECTOR_NAME: 'other' }, 'Other.template.json');
    expect(templateOf(undefined, 'acme', folder).file).toBe(file);
    template(sent, 'Twice.template.json');
    expect(() => templateOf(undefined, 'acme', folder)).toThrow(/^Several templates in .* have it\. /);
    writeFileSync(file, '{');
    expect(() => templateOf(file, 'acme')).toThrow(/is no template that can be read/);
  });
});
