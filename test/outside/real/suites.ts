import type { PartName } from './parts.ts';
import type { Suite as LaunchedSuite } from './run/launcher.ts';

/** Its file is below the project's root. */
export interface Suite extends LaunchedSuite<PartName> {
  /** Whether it runs the function as synthesized. */
  readonly bundle: boolean;
}

const adapter = (path: string, ...needs: PartName[]): Suite => suite(`adapters/${path}.test.ts`, needs);
const alone = (name: string, ...needs: PartName[]): Suite => suite(`outside/real/${name}.real.ts`, needs);
const whole = (name: string): Suite => ({ ...alone(name, 'dynamodb', 'moto', 'keycloak'), bundle: true });

function suite(file: string, needs: readonly PartName[]): Suite {
  return { file: `test/${file}`, needs, bundle: false };
}

/** The test files of a run. Those outside `outside/real/` also run in `npm test`, on the embedded endpoints. */
export const SUITES: readonly Suite[] = [
  adapter('store/table', 'dynamodb'),
  adapter('store/lease', 'dynamodb'),
  adapter('store/checkpoints', 'dynamodb'),
  adapter('store/items', 'dynamodb'),
  adapter('sink/firehose', 'moto'),
  adapter('sink/dead-letters', 'moto'),
  adapter('sink/logs', 'moto'),
  adapter('source/credentials', 'moto'),
  suite('function/handler.test.ts', ['dynamodb', 'moto']),
  alone('athena', 'trino'),
  alone('differences-dynamodb', 'dynamodb'),
  alone('differences-moto', 'moto'),
  alone('differences-token-endpoint', 'keycloak'),
  alone('tokens', 'keycloak'),
  alone('reader', 'dynamodb', 'moto'),
  whole('drain'),
  whole('credentials'),
  whole('contention'),
  whole('siem'),
  whole('crash'),
];
