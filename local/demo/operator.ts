/** How `connectorctl` works against the demo, from another terminal. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LocalDeployment } from '../deployment/deployment.ts';

/** The script of package.json that runs `connectorctl` with the variables in this file. */
export const OPERATOR_SCRIPT = 'demo:connectorctl';
export const OPERATOR_FILE = '.local/demo.env';

/** Access key of the operator's commands, which the endpoints do not check. */
const OPERATOR = 'operator';

/** Variables of an operator's process: endpoints, dummy credentials, and the demo's clock. */
export function operatorEnvironment({ environment }: LocalDeployment, url: string): Record<string, string> {
  const clock = pathToFileURL(path.join(import.meta.dirname, 'operator-clock.mjs')).href;
  return {
    ...environment,
    AWS_ACCESS_KEY_ID: OPERATOR,
    AWS_SECRET_ACCESS_KEY: OPERATOR,
    AWS_EC2_METADATA_DISABLED: 'true',
    DEMO_URL: url,
    NODE_OPTIONS: `--import=${clock}`,
  };
}

/** Writes the variables to a file as Node's `--env-file` reads it. */
export async function writeOperatorFile(file: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
}

/** The line to type; `command` is such as `status`. */
export function operatorLine(command: string): string {
  return `npm run ${OPERATOR_SCRIPT} -- ${command}`;
}
