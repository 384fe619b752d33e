import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError } from '../../../../lib/config/configuration-error.ts';
import type { ConnectorConfig } from '../../../../lib/config/connector-schema.ts';
import { connectorsIn } from '../../../../lib/config/read-connectors.ts';
import { findCdkJson } from '../cdk-json.ts';
import { type Check, type Finding, fail, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

const REMEDY = 'README.md has the table of options. Nothing can be deployed before.';
const GO =
  'Go to the checkout of the connector, where its cdk.json is, and try again: cd security-data-connector && npm run connectorctl -- doctor --preflight';

/** The context of the project that one stands in, as the CDK reads it. */
export const configuration: Check<DoctorContext> = {
  name: 'configuration',
  async look() {
    const file = await findCdkJson();
    if (!file) return fail(`there is no cdk.json in ${process.cwd()}, nor in a folder above it`, GO);
    try {
      return connectorsFinding(await readContext(file), file);
    } catch (error) {
      if (error instanceof ConfigurationError) {
        return fail(`${file}: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}`, REMEDY);
      }
      return fail(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, REMEDY);
    }
  },
};

function connectorsFinding(connectors: readonly ConnectorConfig[], file: string): Finding {
  // The CDK looks into this folder alone.
  const elsewhere = file === 'cdk.json' ? '' : `, in ${file}: deploy from that folder`;
  const names = (some: readonly ConnectorConfig[]) => some.map(({ name }) => name).join(', ');
  const examples = connectors.filter(({ baseUrl }) => new URL(baseUrl).hostname.endsWith('.example'));
  if (examples.length > 0) {
    const remedy = `Replace the entry in the context "connectors" of ${file} by your own.`;
    return warn(`still the example: ${names(examples)}`, remedy);
  }
  const count = connectors.length === 1 ? 'a connector' : `${connectors.length} connectors`;
  return ok(`${count}: ${names(connectors)}${elsewhere}`);
}

/** @throws ConfigurationError; as reading or parsing the file does */
export async function readContext(file: string): Promise<readonly ConnectorConfig[]> {
  const { context = {} } = JSON.parse(await readFile(file, 'utf8'));
  return connectorsIn(context, path.dirname(file));
}
