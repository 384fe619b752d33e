import { expect, test } from '@jest/globals';
import { deployment } from './support/deployment.ts';

test('x', async () => {
  await using each = await deployment();
  each.connector.platform.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
  for (const args of [
    ['doctor'],
    ['run'],
    ['status'],
    ['status', '--json'],
    ['pause', '--mute'],
    ['resume'],
    ['resync', 'assets', '--yes', '--until-done'],
    ['replay', 'threats', 'dns-blocks', '--yes'],
    ['doctor'],
  ]) {
    const { status, stdout, stderr } = await each.ctl(args);
    process.stderr.write(`$ ${args.join(' ')} -> ${status}\n${stdout}${stderr}\n`);
  }
  expect(1).toBe(1);
}, 60000);
