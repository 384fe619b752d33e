/** How `connectorctl` works against the demo, from another terminal. */
import { writeFile } from 'node:fs/promises';
import type { LocalDeployment } from '../deployment/deployment.ts';

/** The script of package.json that runs `connectorctl` with the variables in this file, which operator-clock.mjs reads. */
export const OPERATOR_SCRIPT = 'demo:connectorctl';
export const OPERATOR_FILE = '.local/demo.env';

/** Access key of the operator's commands, which the endpoints do not check. */
const OPERATOR = 'operator';

/** Variables of an operator's process: endpoints, dummy credentials, and where the demo's clock is. */
export function operatorEnvironment({ environment }: LocalDeployment, url: string): Record<string, string> {
  return {
    ...environment,
    AWS_ACCESS_KEY_ID: OPERATOR,
    AWS_SECRET_ACCESS_KEY: OPERATOR,
    AWS_EC2_METADATA_DISABLED: 'true',
    DEMO_URL: url,
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
