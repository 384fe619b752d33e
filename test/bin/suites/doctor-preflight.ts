import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Deployment, deployment } from '../support/deployment.ts';
import type { Found } from '../support/found.ts';
import { start } from '../support/shell.ts';

describe('doctor --preflight', () => {
  /** Below a folder with that text as its cdk.json, or without one. */
  async function runPreflight(
    each: Deployment,
    cdkJson: string | undefined,
    below = '.',
    connectorsFile?: string,
  ): Promise<{ status: number | null; all: Found[] }> {
    const root = await mkdtemp(path.join(tmpdir(), 'before-'));
    if (cdkJson !== undefined) await writeFile(path.join(root, 'cdk.json'), cdkJson);
    if (connectorsFile !== undefined) await writeFile(path.join(root, 'connectors.json'), connectorsFile);
    const folder = path.join(root, below);
    await mkdir(folder, { recursive: true });
    const { environment } = each;
    const { status, stdout } = await start(['doctor', '--preflight', '--json'], { environment, folder }).ended;
    await rm(root, { recursive: true });
    return { status, all: JSON.parse(stdout).checks };
  }

  const CONNECTOR = {
    name: 'acme',
    baseUrl: 'https://127.0.0.1:65432',
    authUrl: 'https://127.0.0.1:65432/realms/acme',
  };

  test('checks account, bootstrap, configuration and addresses without a stack', async () => {
    await using each = await deployment();
    each.stack.stacks.splice(0);
    each.stack.stacks.push({ name: 'CDKToolkit', outputs: [{ key: 'BootstrapVersion', value: '28' }] });
    const { status, all } = await runPreflight(
      each,
      JSON.stringify({ context: { connectors: [CONNECTOR] } }),
      'docs/siem',
    );
    expect([status, all.map(check => `${check.name} ${check.status}`)]).toEqual([
      0,
      ['aws-account ok', 'bootstrap ok', 'configuration ok', 'failed-stacks ok', 'addresses warn', 'clock ok'],
    ]);
    expect(all[2]!.text).toBe('a connector: acme, in ../../cdk.json: deploy from that folder');
    expect(all[4]!.text).toContain(
      'https://127.0.0.1:65432/v1/assets does not answer: the connection failed (ECONNREFUSED)',
    );
  });

  test('reads the connectorsFile of cdk.json, as the CDK does', async () => {
    await using each = await deployment();
    const cdkJson = JSON.stringify({ context: { connectorsFile: 'connectors.json' } });
    const { all } = await runPreflight(each, cdkJson, 'docs', JSON.stringify([CONNECTOR]));
    expect(all.find(({ name }) => name === 'configuration')).toMatchObject({
      status: 'ok',
      text: 'a connector: acme, in ../cdk.json: deploy from that folder',
    });
  });

  test('finds the stack of a failed first deployment and prints one command that deletes it', async () => {
    await using each = await deployment();
    each.stack.stacks.splice(0);
    each.stack.stacks.push({
      name: 'SecurityDataConnector-acme',
      status: 'ROLLBACK_COMPLETE',
      terminationProtection: true,
      outputs: [],
    });
    const { status, all } = await runPreflight(each, JSON.stringify({ context: { connectors: [CONNECTOR] } }));
    expect(status).toBe(3);
    expect(all.find(({ name }) => name === 'failed-stacks')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining(
        'Stack SecurityDataConnector-acme is ROLLBACK_COMPLETE: its first deployment failed',
      ),
      remedy: expect.stringContaining('update-termination-protection --no-enable-termination-protection'),
    });
  });

  test.each([
    ['not there', undefined, 'there is no cdk.json in'],
    ['not JSON', '{', 'cdk.json cannot be read'],
    ['of another project', JSON.stringify({ app: 'x' }), 'connectors: must be a list of connectors'],
    ['wrong options', JSON.stringify({ context: { connectors: [{ ...CONNECTOR, rateMinutes: 61 }] } }), 'rateMinutes'],
  ])('reports a cdk.json with %s and an account without bootstrap', async (_, text, words) => {
    await using each = await deployment();
    const { status, all } = await runPreflight(each, text);
    expect(status).toBe(3);
    expect(all.find(({ name }) => name === 'configuration')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining(words),
    });
    expect(all.find(({ name }) => name === 'bootstrap')).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('npx cdk bootstrap'),
    });
    expect(all.find(({ name }) => name === 'addresses')).toMatchObject({ status: 'skipped' });
  });
});
