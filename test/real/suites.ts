import type { PartName } from './parts.ts';

export interface Suite {
  /** Below the project's root. */
  readonly file: string;
  /** The parts without which it is not run at all. */
  readonly needs: readonly PartName[];
}

const adapters = (name: string, ...needs: PartName[]): Suite => ({
  file: `test/lambda/adapters/${name}.test.ts`,
  needs,
});
const real = (name: string, ...needs: PartName[]): Suite => ({ file: `test/real/${name}.real.ts`, needs });

/** The test files of a run, the shortest first. Those of the adapters are the same that `npm test` runs on the embedded endpoints. */
export const SUITES: readonly Suite[] = [
  adapters('table', 'dynamodb'),
  adapters('lease', 'dynamodb'),
  adapters('checkpoints', 'dynamodb'),
  adapters('items', 'dynamodb'),
  adapters('firehose', 'moto'),
  adapters('dead-letter', 'moto'),
  adapters('credentials', 'moto'),
  { file: 'test/lambda/handler.test.ts', needs: ['dynamodb', 'moto'] },
  real('differences/dynamodb', 'dynamodb'),
  real('differences/moto', 'moto'),
  real('differences/token-endpoint', 'keycloak'),
  real('tokens', 'keycloak'),
  real('drain', 'dynamodb', 'moto', 'keycloak'),
  real('credentials', 'dynamodb', 'moto', 'keycloak'),
  real('contention', 'dynamodb', 'moto', 'keycloak'),
  real('sigkill', 'dynamodb', 'moto', 'keycloak'),
];

export function runnable(parts: ReadonlySet<PartName>): { run: Suite[]; skip: Suite[] } {
  const { run = [], skip = [] } = Object.groupBy(SUITES, suite =>
    suite.needs.every(part => parts.has(part)) ? 'run' : 'skip',
  );
  return { run, skip };
}
