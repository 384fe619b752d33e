import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { command } from '../../support/parts/command.ts';
import { part } from '../running.ts';
import { SIEM_FOLDER } from './support/files.ts';

interface Resource {
  readonly type: string;
  readonly name: string;
  readonly location?: string;
  readonly properties: object;
}

/**
 * The type of each resource in Microsoft's own SDK, which is made from the published specifications
 * of its APIs.
 */
const TYPES: Readonly<Record<string, readonly [model: string, from: string]>> = {
  'Microsoft.Insights/dataCollectionRules': ['DataCollectionRuleResource', '@azure/arm-monitor'],
  'Microsoft.Insights/dataCollectionEndpoints': ['DataCollectionEndpointResource', '@azure/arm-monitor'],
  'Microsoft.OperationalInsights/workspaces/tables': ['Table', '@azure/arm-operationalinsights'],
  'Microsoft.OperationalInsights/workspaces/savedSearches': ['SavedSearch', '@azure/arm-operationalinsights'],
};

/** No published specification describes these. That of AWS S3 is of the older connector. */
const UNPUBLISHED = [
  'Microsoft.OperationalInsights/workspaces/providers/dataConnectorDefinitions',
  'Microsoft.OperationalInsights/workspaces/providers/dataConnectors',
];

test('the template for Sentinel fits the types that Microsoft publishes, and an invalid resource is noticed', async () => {
  const template = JSON.parse(await readFile(join(SIEM_FOLDER, 'sentinel', 'azuredeploy.json'), 'utf8'));
  const resources = template.resources as Resource[];
  expect(resources.filter(({ type }) => !(type in TYPES)).map(({ type }) => type)).toEqual(UNPUBLISHED);
  const published = resources.filter(({ type }) => type in TYPES);
  expect(published.length).toBeGreaterThan(6);
  expect(await errors(published)).toEqual([]);
  const [rule] = published.filter(({ type }) => type.endsWith('Rules'));
  const wrong = { ...rule!, properties: { ...rule!.properties, dataFlow: [] } };
  expect((await errors([wrong])).join()).toContain('dataFlow');
});

/** Errors of the compiler for the resources as literals of their types. */
async function errors(resources: readonly Resource[]): Promise<string[]> {
  const { folder } = part('azure');
  const temporary = await mkdtemp(join(folder, 'check-'));
  try {
    const lines = resources.map(({ type, location, properties }, index) => {
      const [model, from] = TYPES[type]!;
      // In the SDK the properties are members of the resource itself. An ARM expression may be a
      // value of any type.
      const literal = JSON.stringify({ ...(location && { location }), ...properties }).replace(RETENTION, '730');
      return `import type { ${model} as Model${index} } from '${from}';\nexport const resource${index}: Plain<Model${index}> = ${literal};`;
    });
    await writeFile(join(temporary, 'check.ts'), [PLAIN, ...lines].join('\n'));
    const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', skipLibCheck: true, types: [] };
    await writeFile(join(temporary, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(temporary, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['check.ts'] }),
    );
    const compiler = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.bin', 'tsc');
    // It exits with a status when it finds something, and the message quotes the first finding.
    return await command(compiler, ['-p', temporary], 300).then(
      () => [],
      (error: Error) => [error.message],
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const RETENTION = /"\[parameters\('retentionDays'\)\]"/g;

/** Strings in place of enumerations, because a literal is not assignable to an enumeration. */
const PLAIN = `type Plain<T> = T extends string ? \`\${T}\` : T extends readonly (infer U)[] ? Plain<U>[]
  : T extends Date ? T : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;`;
