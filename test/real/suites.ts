import type { PartName } from './parts.ts';

export interface Suite {
  /** Below the project's root. */
  readonly file: string;
  /** The parts that it requires. */
  readonly needs: readonly PartName[];
  /** Whether it runs the function as synthesized. */
  readonly bundle: boolean;
}

const adapter = (path: string, ...needs: PartName[]): Suite => suite(`lambda/${path}.test.ts`, needs);
const alone = (name: string, ...needs: PartName[]): Suite => suite(`real/${name}.real.ts`, needs);
const whole = (name: string): Suite => ({ ...alone(name, 'dynamodb', 'moto', 'keycloak'), bundle: true });

function suite(file: string, needs: readonly PartName[]): Suite {
  return { file: `test/${file}`, needs, bundle: false };
}

/** The test files of a run. Those outside `real/` also run in `npm test`, on the embedded endpoints and on DuckDB. */
export const SUITES: readonly Suite[] = [
  adapter('store/table', 'dynamodb'),
  adapter('store/lease', 'dynamodb'),
  adapter('store/checkpoints', 'dynamodb'),
  adapter('store/items', 'dynamodb'),
  adapter('sink/firehose', 'moto'),
  adapter('sink/dead-letters', 'moto'),
  adapter('source/credentials', 'moto'),
  suite('lambda/handler.test.ts', ['dynamodb', 'moto']),
  suite('lib/query/changes.test.ts', ['trino']),
  suite('lib/query/row-text.test.ts', ['trino']),
  suite('lib/query/views.test.ts', ['trino']),
  suite('docs/query.test.ts', ['trino']),
  alone('simulation-in-athena', 'trino'),
  alone('athena-catalogue', 'trino'),
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

export interface Choice {
  readonly run: readonly Suite[];
  readonly skip: readonly (Suite & { readonly lacks: readonly PartName[] })[];
}

/** @param only parts of paths; none: all files */
export function choose(there: ReadonlySet<string>, only: readonly string[]): Choice {
  const chosen = SUITES.filter(({ file }) => only.length === 0 || only.some(part => file.includes(part)));
  const checked = chosen.map(each => ({ ...each, lacks: each.needs.filter(part => !there.has(part)) }));
  return {
    run: checked.filter(({ lacks }) => lacks.length === 0),
    skip: checked.filter(({ lacks }) => lacks.length > 0),
  };
}
