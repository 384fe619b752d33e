import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError } from '../../../../lib/config/configuration-error.ts';
import type { ConnectorConfig } from '../../../../lib/config/connector-schema.ts';
import { readConnectors } from '../../../../lib/config.ts';
import { type Check, fail, ok, warn } from '../check.ts';
import type { Patient } from '../patient.ts';

const TODO = 'README.md has the table of options. Nothing can be deployed before.';

/** The context of the folder that one stands in, as the CDK reads it. */
export const configuration: Check<Patient> = {
  name: 'configuration',
  async look() {
    try {
      const connectors = await readContext();
      const examples = connectors.filter(({ baseUrl }) => new URL(baseUrl).hostname.endsWith('.example'));
      if (examples.length > 0) {
        const names = examples.map(({ name }) => name).join(', ');
        return warn(
          `still the example: ${names}`,
          'Replace the entry in the context "connectors" of cdk.json by your own.',
        );
      }
      return ok(
        `${connectors.length === 1 ? 'a connector' : `${connectors.length} connectors`}: ${connectors.map(({ name }) => name).join(', ')}`,
      );
    } catch (error) {
      if (error instanceof ConfigurationError) return fail(error.message.replaceAll(/\s*\n\s*/g, ' '), TODO);
      return fail(`cdk.json in this folder cannot be read: ${error instanceof Error ? error.message : error}`, TODO);
    }
  },
};

export async function readContext(folder = process.cwd()): Promise<readonly ConnectorConfig[]> {
  const text = await readFile(path.join(folder, 'cdk.json'), 'utf8');
  return readConnectors(JSON.parse(text).context?.connectors);
}
