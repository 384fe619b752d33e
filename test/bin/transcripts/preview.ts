import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandPage } from '../cli-reference/command-page.ts';

const FILTERS = JSON.stringify({ threats: "severity != 'low'" });
const FILE = path.join(mkdtempSync(path.join(tmpdir(), 'template-')), 'SecurityDataConnector-acme.template.json');

export const preview: CommandPage = {
  command: 'preview',
  scenes: [
    {
      before: async each => {
        const Variables = { CONNECTOR_NAME: 'acme', DNS_BLOCKS_PATH: '/v1/dns-blocks', FILTERS };
        const connector = { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } };
        writeFileSync(FILE, JSON.stringify({ Resources: { connector } }));
        await each.run();
      },
      args: ['preview', '--template', FILE],
    },
  ],
};
